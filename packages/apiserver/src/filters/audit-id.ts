/** An identity of a request that somebody else chose may be of any length; logs keep so much of it. */
const loggedLength = 64;

/** The id of a request: the one that it brings, as it stands, so that a proxy's id holds for both; else a new one. */
export function auditIdOf(header: string | undefined, fresh: () => string): string {
  return header === undefined || header === "" ? fresh() : header;
}

/** What of it goes into logs and error texts. */
export function shortAuditId(auditId: string): string {
  return auditId.slice(0, loggedLength);
}
