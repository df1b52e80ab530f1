import { formatJson, parseJson, readJson } from "@slipway/objects";

console.log(formatJson(parseJson('{"serial":9223372036854775807}')));
console.log(JSON.stringify(readJson('{"metadata":{"name":"a","name":"b"}}')));
