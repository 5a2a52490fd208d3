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

/** Returns everything that a logger could print about an error. */
function printed(error: unknown): string {
  const parts: unknown[] = [
    inspect(error, { depth: 10, showHidden: true, maxStringLength: null }),
    String(error),
  ];
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    parts.push(at.message, at.stack, JSON.stringify(at), JSON.stringify({ ...at }));
    for (const name of Object.getOwnPropertyNames(at))
      parts.push(inspect(Reflect.get(at, name), { depth: 10 }));
  }
  return parts.join("\n");
}

/** Expects that no output of an error contains the key or a value. */
export function expectSafe(error: unknown, key: string): void {
  expect(error).toBeInstanceOf(Error);
  const text = printed(error);
  for (const spelling of [...spellings(key), ...secretValues.flatMap(spellings)]) {
    expect(text).not.toContain(spelling);
  }
  expect(text).not.toContain("CANARY");
  expect(text).not.toContain("C4N4RY");
}
