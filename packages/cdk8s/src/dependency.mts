export { DependencyGraph, DependencyVertex } from "@slipway/core";
