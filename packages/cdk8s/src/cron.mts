export type { CronOptions } from "@slipway/core";
export { Cron } from "@slipway/core";
