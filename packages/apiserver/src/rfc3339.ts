const fullDate = /^(\d{4})-(\d{2})-(\d{2})$/;
const timestamp = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|([+-])(\d{2}):(\d{2}))$/;

/** Whether `text` is a date that exists: `2020-02-29`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = fullDate.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/**
 * Whether `text` is a `date-time` as the validation of schemas has it: case does not count and the offset is not checked
 * for sense.
 */
export function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t", 2);
  if (time === undefined || !isDate(date)) return false;
  const [, hour = "", minute = "", second = ""] =
    /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time) ?? [];
  return hour !== "" && hour <= "23" && minute <= "59" && second <= "59";
}

/** Milliseconds since 1970, or `undefined` when `text` is no RFC 3339 timestamp. Leap seconds are none. */
export function parseTimestamp(text: string): number | undefined {
  const [, date = "", hour, minute, second, fraction, , sign, offsetHour, offsetMinute] = timestamp.exec(text) ?? [];
  if (!isDate(date)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const [year, month, day] = date.split("-").map(Number);
  const local = new Date(0);
  local.setUTCFullYear(year ?? 0, (month ?? 1) - 1, day ?? 1);
  local.setUTCHours(Number(hour), Number(minute), Number(second));
  const offsetMinutes = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * (sign === "-" ? -1 : 1);
  const fractionMs = fraction === undefined ? 0 : Number(`0.${fraction.slice(1)}`) * 1_000;
  return local.getTime() + fractionMs - offsetMinutes * 60_000;
}
