export { run, sizes } from "./core/core.mjs";
