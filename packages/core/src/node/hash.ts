import { hash } from "node:crypto";

/** In lower case. At once: a hash object for each text would cost several times as much. */
export function sha1Hex(text: string): string {
  return hash("sha1", text);
}

/** In lower case. */
export function sha256Hex(text: string): string {
  return hash("sha256", text);
}
