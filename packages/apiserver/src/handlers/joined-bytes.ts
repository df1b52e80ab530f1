/**
 * How many characters are joined and encoded at a time. The text of a long list in one piece would be moved about by the
 * garbage collector; pieces of this size are gone with its next round, and the bytes are none of its business.
 */
const pieceLength = 64 * 1024;

/** `head`, the texts with commas between them, and `tail`, as UTF-8. */
export function joinedBytes(head: string, texts: Iterable<string>, tail: string): Uint8Array {
  const encoder = new TextEncoder();
  const pieces = [encoder.encode(head)];
  let piece: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (length >= pieceLength) {
      pieces.push(encoder.encode(`${piece.join(",")},`));
      piece = [];
      length = 0;
    }
    piece.push(text);
    length += text.length;
  }
  pieces.push(encoder.encode(piece.join(",")), encoder.encode(tail));
  return joined(pieces);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
