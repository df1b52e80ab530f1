import { formatJson, type JsonValue } from "@slipway/objects";

/** One thing that is not as it was recorded. */
export interface Difference {
  /** `status`, `header content-type`, `body/spec/size`, `events[2]/type`, `effect helmRelease/metadata/labels`. */
  readonly path: string;
  readonly expected: string;
  readonly got: string;
}

const SHOWN_LENGTH = 300;

/** A value as a reader wants it in one line. */
export function shown(value: JsonValue | undefined): string {
  if (value === undefined) return "(absent)";
  const text = formatJson(value);
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`;
}

export function formatDifference({ path, expected, got }: Difference): string {
  return `    ${path}\n      expected ${expected}\n      got      ${got}`;
}
