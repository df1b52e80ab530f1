import process from "node:process";

/** Something for the person who runs the program, who may have its output piped elsewhere. */
export function report(text: string): void {
  process.stderr.write(`${text}\n`);
}
