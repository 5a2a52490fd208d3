import { describeKind } from "../../errors/value-kinds.ts";
import { ConfigurationError, ValuesError } from "../../index.ts";

/** A text with placeholders, such as `out/{{invoice_no}}.pdf`. */
export interface Pattern {
  /** What stands before the first placeholder. */
  readonly fixed: string;
  /** The names of the placeholders, each once. */
  readonly names: readonly string[];
  /** Puts in the values of a job; throws a {@link ValuesError} naming the placeholder whose value makes no text. */
  fill(values: object, uid: string): string;
}

/**
 * Reads a pattern. A placeholder names a member of the values; where none has that name, a dot in it leads into an object.
 *
 * @throws {ConfigurationError} when it has no placeholder, or braces that are none
 */
export function parsePattern(text: string): Pattern {
  const parts = text.split(/\{\{([^{}]*)\}\}/).map((part, index) => (index % 2 === 1 ? part.trim() : part));
  const names = parts.filter((_, index) => index % 2 === 1);
  const stray = parts.find((part, index) => index % 2 === 0 && /\{\{|\}\}/.test(part));
  if (names.length === 0 || names.includes("") || stray !== undefined) {
    const what =
      names.length === 0 && stray === undefined ? "has no placeholder" : "has braces that are no placeholder";
    throw new ConfigurationError(
      `The path ${JSON.stringify(text)} ${what}, and every document needs a path of its own. Name a member of the values in it, as in "out/{{invoice_no}}.pdf".`,
    );
  }
  return {
    fixed: parts[0] ?? "",
    names: [...new Set(names)],
    fill: (values, uid) =>
      parts.map((part, index) => (index % 2 === 1 ? textOf(values, part, uid) : part)).join(""),
  };
}

function textOf(values: object, name: string, uid: string): string {
  const value = memberOf(values, name);
  const isText = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (isText && value !== "") return String(value);
  const what = value === undefined ? "is missing" : value === "" ? "is empty" : `is ${describeKind(value)}`;
  const message = `${what}, and the path of the document is made of it`;
  throw new ValuesError(
    `The values for template ${JSON.stringify(uid)} make no path: ${JSON.stringify(name)} ${message}. Nothing was sent for it.`,
    { issues: [{ path: name.split("."), message }], uid },
  );
}

function memberOf(values: object, name: string): unknown {
  if (Object.hasOwn(values, name)) return (values as Record<string, unknown>)[name];
  return name
    .split(".")
    .reduce<unknown>(
      (at, member) =>
        typeof at === "object" && at !== null && Object.hasOwn(at, member)
          ? (at as Record<string, unknown>)[member]
          : undefined,
      values,
    );
}
