/** The order of text everywhere in Slipway: by UTF-16 code unit, the same on every machine. For `sort`. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
