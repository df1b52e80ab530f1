/** The texts of a `Warning` header as API servers send it: `299 - "text"`, several of them with commas between. */
export function parseWarnings(header: string | undefined): string[] {
  const warnings = (header ?? "").matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g);
  return Array.from(warnings, ([, text = ""]) => text.replace(/\\(.)/g, "$1"));
}
