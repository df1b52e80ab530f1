/** Room for all warnings of one answer, in characters, and for each when they do not all fit (Kubernetes' limits). */
const maxTotal = 4096;
const maxEach = 256;

/**
 * `Warning` header lines: code 299, no agent, the text quoted (RFC 7234, 5.5; KEP-1693).
 * Texts that together are too long are cut each.
 */
export function warningHeaders(texts: readonly string[]): { readonly warning?: readonly string[] } {
  if (texts.length === 0) return {};
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const lines = texts.map((text) => {
    const shown = total > maxTotal ? [...text].slice(0, maxEach).join("") : text;
    // Control characters would end the header line.
    const quoted = shown
      .replace(/\p{Cc}/gu, " ")
      .replaceAll("\\", "\\\\")
      .replaceAll('"', '\\"');
    return `299 - "${quoted}"`;
  });
  return { warning: lines };
}
