export { run, sizes } from "./yaml/reader.mjs";
