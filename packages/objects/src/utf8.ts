const ascii = /^[\0-\x7f]*$/;

/** Bytes of `text` in UTF-8, which is what Go's `len` counts. A lone surrogate counts as U+FFFD, three bytes. */
export function utf8Length(text: string): number {
  return ascii.test(text) ? text.length : new TextEncoder().encode(text).length; // some test environments lack it
}
