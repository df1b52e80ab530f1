export { run, sizes } from "./yaml/writer.mjs";
