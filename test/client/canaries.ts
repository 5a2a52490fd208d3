import { inspect } from "node:util";
import { expect } from "vitest";

/** A key with every character that an encoding may escape. */
export const trickyKey = `k3y-C4N4RY/+=&<>"'\\%~`;
export const plainKey = "key-CANARY-0123456789";

/** Values that must not appear in messages. */
export const values = {
  customer: "Zoë CANARY <O'Neil> & Söhne",
  nested: { list: ["second-CANARY/value+1", 7_000_123.25] },
  lines: "first CANARY line\nand a second",
};
/** The secret texts in these values. */
export const secretValues = [values.customer, ...values.nested.list.map(String), values.lines];

/** Returns a text unchanged and in all encodings that servers use. */
export function spellings(text: string): string[] {
  const ascii = JSON.stringify(text).replace(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const html = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  return [
    text,
    JSON.stringify(text),
    JSON.stringify(text).replaceAll("/", "\\/"),
    ascii,
    ascii.replace(
      /[<>&'+]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`,
    ),
    html.replaceAll('"', "&quot;").replaceAll("'", "&#39;"),
    html.replaceAll('"', "&#34;").replaceAll("'", "&#x27;").replaceAll("/", "&#x2F;"),
    encodeURIComponent(text),
    new URLSearchParams([["", text]]).toString().slice(1),
  ];
}

/** Returns everything that a logger could print about an error or another value. */
export function printed(value: unknown): string {
  const parts: unknown[] = [inspect(value, everything), String(value), json(value)];
  for (const one of chainOf(value)) {
    const { message, stack, detail, excerpt, contentType } = one as { readonly [name: string]: unknown };
    // The last three are getters.
    parts.push(message, stack, String(one), json(one), json({ ...one }));
    parts.push(inspect([detail, excerpt, contentType]));
    for (const key of Reflect.ownKeys(one))
      parts.push(`${String(key)}: ${inspect(Reflect.get(one, key), everything)}`);
  }
  return parts.join("\n");
}

const everything = { depth: 10, showHidden: true, maxStringLength: null, maxArrayLength: null };

function json(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // The value contains itself.
    return undefined;
  }
}

/** Returns an error with its causes, its aggregated errors, and the error in an event. */
function chainOf(thrown: unknown, seen = new Set<object>()): object[] {
  if (typeof thrown !== "object" || thrown === null || seen.has(thrown)) return [...seen];
  seen.add(thrown);
  const { cause, errors, error } = thrown as { cause?: unknown; errors?: unknown; error?: unknown };
  for (const inner of [cause, error, ...(Array.isArray(errors) ? errors : [])]) chainOf(inner, seen);
  return [...seen];
}

/** Expects that no output of an error contains the key or a value. */
export function expectSafe(error: unknown, key: string): void {
  expect(error).toBeInstanceOf(Error);
  const text = printed(error);
  for (const spelling of [...spellings(key), ...secretValues.flatMap(spellings), "CANARY", "C4N4RY"]) {
    expect(text).not.toContain(spelling);
  }
}
