/** Whether `key` can be stored: well-formed, so that UTF-8 keeps it apart from every other key, and without NUL. */
export function isStorableKey(key: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(key);
}

/** @throws {TypeError} when the key cannot be stored. */
export function assertStorableKey(key: string): void {
  if (isStorableKey(key)) return;
  throw new TypeError(`${JSON.stringify(key)}: not a key, it contains NUL or half of a character. Use another name.`);
}

/**
 * Order of keys: that of their UTF-8 bytes, which is that of their code points.
 *
 * The order of `<` differs, because it sees an astral character as two surrogates and those sort before U+E000.
 */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const unitA = a.charCodeAt(i);
    const unitB = b.charCodeAt(i);
    if (unitA !== unitB) return surrogatesLast(unitA) - surrogatesLast(unitB);
  }
  return a.length - b.length;
}

function surrogatesLast(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** The least string after every string that starts with `prefix`; `undefined` when nothing comes after them. */
export function prefixEnd(prefix: string): string | undefined {
  const characters = [...prefix];
  while (characters.length > 0) {
    const last = characters.pop()?.codePointAt(0) ?? 0;
    if (last === 0x10ffff) continue;
    const next = last === 0xd7ff ? 0xe000 : last + 1; // in between lie the surrogates, which are no characters
    return characters.join("") + String.fromCodePoint(next);
  }
  return undefined;
}
