export type { IResolver } from "@slipway/core";
export {
  ImplicitTokenResolver,
  LazyResolver,
  NumberStringUnionResolver,
  ResolutionContext,
  resolve,
} from "@slipway/core";
