import { dns1123Label, parseLabelSelector } from "@slipway/objects";

console.log(dns1123Label("My_App"));

const selector = parseLabelSelector("app in (web, api), !legacy");
console.log(selector.matches({ app: "web" }), selector.matches({ app: "web", legacy: "" }));
