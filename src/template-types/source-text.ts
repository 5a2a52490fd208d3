/** What may change how a line reads, or end it: control and format characters, line separators, lone surrogates. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Writes a text as a literal of TypeScript, in the quotes that Prettier would choose. */
export function quoted(text: string): string {
  const body = JSON.stringify(text).slice(1, -1).replace(unseen, escapeOf);
  const doubles = text.split('"').length;
  const singles = text.split("'").length;
  if (doubles <= singles) return `"${body}"`;
  return `'${body.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Writes a value as Prettier would: `1e21` has no plus. */
export function literalText(value: string | number | boolean): string {
  return typeof value === "string" ? quoted(value) : String(value).replace("e+", "e");
}

/** An identifier for every compiler: those of old know no characters beyond the basic plane. */
const identifier = /^(?!.*[\u{10000}-\u{10ffff}])[\p{L}\p{Nl}$_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}$]*$/u;

/** Writes the name of a property, in quotes if it is not an identifier. */
export function memberName(name: string): string {
  return identifier.test(name) ? name : quoted(name);
}

/** Writes a comment for a reader of the code and its editor; one line stays one. */
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
