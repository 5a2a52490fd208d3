/** Characters that may end a line or change its appearance: control and format characters, line separators, lone surrogates. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Writes a string as a TypeScript literal, with the quotes that Prettier would choose. */
export function quoted(text: string): string {
  const body = JSON.stringify(text).slice(1, -1).replace(unseen, escapeOf);
  const doubles = text.split('"').length;
  const singles = text.split("'").length;
  if (doubles <= singles) return `"${body}"`;
  return `'${body.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Writes a value as Prettier would, such as `1e21` without a plus. */
export function literalText(value: string | number | boolean): string {
  return typeof value === "string" ? quoted(value) : String(value).replace("e+", "e");
}

/** An identifier for every compiler. Old ones do not support characters outside the Basic Multilingual Plane. */
const identifier = /^(?!.*[\u{10000}-\u{10ffff}])[\p{L}\p{Nl}$_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$]*$/u;

/** Writes the name of a property, in quotes if it is not an identifier. */
export function memberName(name: string): string {
  return identifier.test(name) ? name : quoted(name);
}

/** Writes the key of a property in an object literal, in which a plain `__proto__` would set the prototype. */
export function literalKey(name: string): string {
  return name === "__proto__" ? '["__proto__"]' : memberName(name);
}

/** Writes a documentation comment, on one line if the text has one line. */
export function docComment(text: string): readonly string[] {
  const lines = text
    .trim()
    .replace(/\*\//g, "*\\/")
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(unseen, escapeOf).trim());
  if (lines.length === 1) return lines[0] === "" ? [] : [`/** ${lines[0]} */`];
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"];
}

function escapeOf(character: string): string {
  if (character === "\t") return "\\t";
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  return units.map((unit) => `\\u${unit}`).join("");
}
