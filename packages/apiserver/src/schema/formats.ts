import { dns1123Label, dns1123Subdomain } from "@slipway/objects";
import { isDate, isDateTime } from "../rfc3339.ts";

/**
 * The string formats that Kubernetes checks, each under its name without dashes, which is how it looks them up.
 * Every other format is a remark.
 *
 * Each test takes time linear in the text, which comes from clients.
 */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", (text) => /^[0-9a-f]{24}$/i.test(text)],
  ["byte", isBase64],
  ["cidr", isCidr],
  ["creditcard", isCreditCard],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hexcolor", (text) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)],
  ["hostname", isHostname],
  ["ipv4", (text) => text.includes(".") && isIpAddress(text)],
  ["ipv6", (text) => text.includes(":") && isIpAddress(text)],
  ["isbn", (text) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["k8slongname", (text) => dns1123Subdomain(text).length === 0],
  ["k8sshortname", (text) => dns1123Label(text).length === 0],
  ["mac", isMac],
  ["password", () => true],
  ["rgbcolor", isRgbColor],
  ["ssn", (text) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text)],
  ["uri", isRequestUri],
  ["uuid", (text) => /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)],
  ["uuid3", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ["uuid4", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ["uuid5", (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
]);

/** The test of a string format; `undefined` for one that is not checked. */
export function stringFormat(name: string): ((text: string) => boolean) | undefined {
  return formats.get(name.replaceAll("-", ""));
}

/** Standard alphabet, padded, not empty. */
function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** Octets may have leading zeros, as in Kubernetes, which reads addresses the old way here. */
function isIpv4(text: string): boolean {
  const octets = text.split(".", 5);
  return octets.length === 4 && octets.every((octet) => /^0*\d{1,3}$/.test(octet) && Number(octet) <= 255);
}

function isIpAddress(text: string): boolean {
  return text.includes(":") ? isIpv6(text) : isIpv4(text);
}

/** Without a zone. The last two groups may be an IPv4 address; one `::` stands for at least one group. */
function isIpv6(text: string): boolean {
  if (text.length > 100) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1);
  const ipv4 = last?.at(-1)?.includes(".") === true ? last.pop() : undefined;
  if (ipv4 !== undefined && !isIpv4(ipv4)) return false;
  const hex = groups.flat();
  if (!hex.every((group) => /^0*[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = hex.length + (ipv4 === undefined ? 0 : 2);
  return halves.length === 2 ? count < 8 : count === 8;
}

function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash === -1) return false;
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  return isIpAddress(address) && /^0*\d{1,3}$/.test(bits) && Number(bits) <= (address.includes(":") ? 128 : 32);
}

/** 6, 8 or 20 bytes, in pairs of digits with colons or dashes or in fours with dots. */
function isMac(text: string): boolean {
  return (
    /^[0-9a-f]{2}(?::[0-9a-f]{2})*$|^[0-9a-f]{2}(?:-[0-9a-f]{2})*$|^[0-9a-f]{4}(?:\.[0-9a-f]{4})*$/i.test(text) &&
    [6, 8, 20].includes(text.replace(/[:.-]/g, "").length / 2)
  );
}

const letter = "[a-zA-Z0-9\\p{S}\\p{L}]";
const hostname = new RegExp(
  `^(?:${letter}-?${letter}{0,62}|(?:${letter}(?:[-a-zA-Z0-9\\p{S}\\p{L}]{0,61}${letter})?\\.)+${letter}(?:-?${letter}){1,62})$`,
  "u",
);

/** Labels of letters, digits, symbols and inner dashes; of several, the last has two characters or more. */
function isHostname(text: string): boolean {
  if (text.length > 255) return false;
  const bytes = (part: string): number => new TextEncoder().encode(part).length;
  return hostname.test(text) && bytes(text) <= 255 && text.split(".").every((label) => bytes(label) <= 63);
}

/** Units as Go and Scala write them, by what they start with or are. */
const durationUnits = /^(?:ns|us|µs|ms|s|m|h|hr|d|w|wk)$|^(?:nano|micro|milli|sec|min|hour|day|week)/;

/** `1h30m`, `2 days`: a number with a unit anywhere in the text is enough. Or Go's bare zero. */
function isDuration(text: string): boolean {
  if (/^[-+]?0$/.test(text)) return true;
  const isUnitCharacter = (character: string): boolean => /[A-Za-zµ]/.test(character);
  let at = 0;
  const skip = (test: (character: string) => boolean): string => {
    const start = at;
    while (at < text.length && test(text.charAt(at))) at += 1;
    return text.slice(start, at);
  };
  while (at < text.length) {
    skip((character) => !/\d/.test(character));
    const digits = skip((character) => /\d/.test(character));
    skip((character) => /\s/.test(character));
    const unit = skip(isUnitCharacter);
    if (digits !== "" && durationUnits.test(unit.toLowerCase())) return true;
  }
  return false;
}

const atomCharacter = '[^\\s\\p{Cc}()<>[\\]:;@\\\\,."]';
const quoted = '"(?:[^"\\\\\\r\\n]|\\\\.)*"';
const dotAtom = `${atomCharacter}+(?:\\.${atomCharacter}+)*`;
const address = new RegExp(`^(?:${dotAtom}|${quoted})@(?:${dotAtom}|\\[[^\\s[\\]\\\\]*\\])$`, "u");
const displayName = new RegExp(`^(?:${atomCharacter}|${quoted}|[\\s.])*$`, "u");

/** One address as RFC 5322 writes it, with or without a name before it: `A <a@example.dev>`. Comments are refused. */
function isEmail(text: string): boolean {
  const trimmed = text.trim();
  if (!trimmed.endsWith(">")) return address.test(trimmed);
  const bracket = trimmed.lastIndexOf("<");
  return bracket !== -1 && displayName.test(trimmed.slice(0, bracket)) && address.test(trimmed.slice(bracket + 1, -1));
}

/** What may stand in the first line of an HTTP request: an absolute URI or an absolute path. */
function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (text === "" || /[\x00-\x1f\x7f]/.test(text)) return false;
  if (text === "*") return true;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? "";
  const rest = text.slice(scheme.length).split("?", 1)[0] ?? "";
  if (!rest.startsWith("/")) return scheme !== "" && rest !== "";
  if (!rest.startsWith("//") || (scheme === "" && rest.startsWith("///"))) return hasValidEscapes(rest);
  const slash = rest.indexOf("/", 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority) && hasValidEscapes(slash === -1 ? "" : rest.slice(slash));
}

function hasValidEscapes(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf("@");
  const user = at === -1 ? "" : text.slice(0, at);
  const host = text.slice(at + 1);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !hasValidEscapes(user) || !hasValidEscapes(host)) return false;
  if (host.startsWith("[")) return /^\[[^\]]*\](?::\d*)?$/.test(host);
  const colon = host.lastIndexOf(":");
  return (colon === -1 || /^:\d*$/.test(host.slice(colon))) && /^[^\s{}|\\^`#]*$/.test(host);
}

function isRgbColor(text: string): boolean {
  const inner = /^rgb\(([^()]*)\)$/.exec(text)?.[1];
  const parts = inner?.split(",", 4) ?? [];
  return parts.length === 3 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part.trim()) && Number(part) <= 255);
}

function digitsOf(text: string): string {
  return text.replace(/[\s-]/g, "");
}

function isIsbn10(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = digitsOf(text);
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

/** Prefix and length of the large issuers, and the check digit of Luhn. */
function isCreditCard(text: string): boolean {
  const digits = digitsOf(text);
  const issuers =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!issuers.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
