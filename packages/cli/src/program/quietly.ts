import process from "node:process";

/** Does `work` without the warnings of Node that something it needs is new there: nothing that the user could act upon. */
export function quietly<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
