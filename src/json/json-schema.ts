import { format, validate } from "@cfworker/json-schema";

/** The maximum length of a `regex`, because some regular expressions take quadratic time to compile. */
const maxRegexLength = 10_000;

/**
 * Validates a value with a JSON Schema. This is the library's `validate` with two formats replaced, because they can take too
 * long: for some strings, `url` takes exponential time and `regex` quadratic time. The other formats take linear time.
 *
 * Do not import `validate` from the library elsewhere. The regular expression in a `pattern` runs unchanged.
 */
export function validateJson(...args: Parameters<typeof validate>): ReturnType<typeof validate> {
  return validate(...args);
}

const { regex } = format;
format["url"] = (text) => /^(?:https?|ftp):\/\/[^\s]+$/i.test(text) && URL.canParse(text);
format["regex"] = (text) => text.length <= maxRegexLength && (regex?.(text) ?? true);
