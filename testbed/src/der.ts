/** Just enough of ASN.1's distinguished encoding (ITU-T X.690) to write certificates. */

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One value: tag, length, content. */
function encode(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = unsignedBytes(body.length);
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

export function sequence(...content: readonly Uint8Array[]): Buffer {
  return encode(TAG.sequence, ...content);
}

export function set(...content: readonly Uint8Array[]): Buffer {
  return encode(TAG.set, ...content);
}

export function boolean(value: boolean): Buffer {
  return encode(TAG.boolean, Buffer.from([value ? 0xff : 0]));
}

/** Big-endian and not negative. */
export function integer(bytes: Uint8Array): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return encode(TAG.integer, ...(isNegative ? [Buffer.from([0])] : []), bytes);
}

/** `unusedBits` at the end of the last byte do not count. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return encode(TAG.bitString, Buffer.from([unusedBits]), bytes);
}

export function octetString(bytes: Uint8Array): Buffer {
  return encode(TAG.octetString, bytes);
}

export function utf8String(text: string): Buffer {
  return encode(TAG.utf8String, Buffer.from(text, "utf8"));
}

/** Dotted, as in `2.5.4.3`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return encode(TAG.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** In whole seconds. UTCTime up to the year 2049, GeneralizedTime from then on. @see RFC 5280, section 4.1.2.5 */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replaceAll(/[-T:]/g, "")}Z`;
  const [tag, text] =
    date.getUTCFullYear() < 2050 ? [TAG.utcTime, digits.slice(2)] : ([TAG.generalizedTime, digits] as const);
  return encode(tag, Buffer.from(text, "ascii"));
}

/** Wraps content in a tag of the surrounding type's own. */
export function explicit(tag: number, ...content: readonly Uint8Array[]): Buffer {
  return encode(0xa0 | tag, ...content);
}

/** Gives primitive content a tag of the surrounding type's own. */
export function implicit(tag: number, content: Uint8Array): Buffer {
  return encode(0x80 | tag, content);
}

function unsignedBytes(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f));
  return digits;
}
