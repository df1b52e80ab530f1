import { SlipwayError } from "@slipway/objects";

/** An error as the user reads it: the message; with the chain of causes, since each adds a fact; never a stack. */
export function formatError(error: unknown): string {
  const lines: string[] = [];
  for (let current: unknown = error; current !== undefined; ) {
    const message = current instanceof Error ? current.message : String(current);
    lines.push(lines.length === 0 ? `error: ${message}` : `  because: ${message}`);
    current = current instanceof Error ? current.cause : undefined;
  }
  if (!SlipwayError.isSlipwayError(error) && error instanceof Error && error.stack !== undefined) {
    lines.push("  This is a fault in slipway itself:", error.stack);
  }
  return `${lines.join("\n")}\n`;
}
