import { format, validate } from "@cfworker/json-schema";

/** Compiling takes quadratic time for some regular expressions. */
const maxRegexLength = 10_000;

/**
 * Validates by a JSON Schema: `validate` of the library, with two formats replaced that take too long for some texts: exponential
 * time for `url`, quadratic time for `regex`. The other formats take linear time.
 *
 * Import the library's own `validate` nowhere else. A `pattern` of a schema is its author's regular expression, and runs as it is.
 */
export function validateJson(...given: Parameters<typeof validate>): ReturnType<typeof validate> {
  return validate(...given);
}

const { regex } = format;
format["url"] = isUrl;
format["regex"] = (text) => text.length <= maxRegexLength && (regex?.(text) ?? true);

/** As the library has it: http, https or ftp, and a host that can be reached from anywhere. */
function isUrl(text: string): boolean {
  const authority = /^(?:https?|ftp):\/\/([^\s/]+)(?:\/\S*)?$/i.exec(text)?.[1] ?? "";
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1).replace(/:\d{2,5}$/, "");
  return at !== 0 && (isPublicAddress(host) || hostName.test(host));
}

/** Labels of letters, digits and single hyphens between them; the last of letters alone. */
const hostName = /^[a-z\u{a1}-\u{ffff}0-9]+(?:[-.][a-z\u{a1}-\u{ffff}0-9]+)*\.[a-z\u{a1}-\u{ffff}]{2,}$/iu;

function isPublicAddress(host: string): boolean {
  if (!/^[1-9]\d{0,2}(?:\.\d{1,3}){2}\.[1-9]\d{0,2}$/.test(host)) return false;
  const [first = 0, second = 0, third = 0, last = 0] = host.split(".").map(Number);
  if (first > 223 || second > 255 || third > 255 || last > 254) return false;
  const isPrivate =
    first === 10 ||
    first === 127 ||
    (first === 169 && second === 254) ||
    (first === 192 && second === 168) ||
    (first === 172 && second >= 16 && second <= 31);
  return !isPrivate;
}
