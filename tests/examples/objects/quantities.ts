import { compareQuantities, formatQuantity, parseQuantity } from "@slipway/objects";

console.log(compareQuantities(parseQuantity("0.5"), parseQuantity("500m")));
console.log(formatQuantity(parseQuantity("1024Mi")));
console.log(formatQuantity(parseQuantity("1.5e3")));
