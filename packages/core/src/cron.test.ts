import { expect, test } from "vitest";
import { Cron } from "./cron.ts";

test.for([
  ["every minute", Cron.everyMinute(), "* * * * *"],
  ["at minute 0", Cron.hourly(), "0 * * * *"],
  ["at midnight", Cron.daily(), "0 0 * * *"],
  ["on Sunday", Cron.weekly(), "0 0 * * 0"],
  ["on the first of the month", Cron.monthly(), "0 0 1 * *"],
  ["on the first of January", Cron.annually(), "0 0 1 1 *"],
  ["without options", new Cron(), "* * * * *"],
  ["a field that is not given means every", Cron.schedule({ minute: "5", weekDay: "1-5" }), "5 * * * 1-5"],
  [
    "the order is minute, hour, day, month, week day",
    Cron.schedule({ weekDay: "5", month: "4", day: "3", hour: "2", minute: "1" }),
    "1 2 3 4 5",
  ],
  ["a field that is undefined means every", Cron.schedule({ minute: undefined }), "* * * * *"],
  ["fields are not checked", Cron.schedule({ minute: "", hour: "noon" }), " noon * * *"],
] as const)("%s", ([, cron, expression]) => {
  expect(cron.expressionString).toBe(expression);
});
