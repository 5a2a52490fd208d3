import { statSync } from "node:fs";
import { parseArgs } from "node:util";

/** A wrong command line. The program prints it in one line and exits with 2. */
export class UsageError extends Error {}

/** Reads options. The type of the default is the type of the option: a flag, an integer, a text or a list of texts. */
export function readOptions(defaults, args) {
  const options = Object.entries(defaults).map(([name, value]) => [
    name,
    { type: typeof value === "boolean" ? "boolean" : "string", multiple: Array.isArray(value) },
  ]);
  const { values } = parse(args, Object.fromEntries(options));
  const given = Object.entries(values).map(([name, value]) => [
    name,
    typeof defaults[name] === "number" ? wholeNumber(`--${name}`, String(value)) : value,
  ]);
  return { ...defaults, ...Object.fromEntries(given) };
}

export function existingFolder(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--folder must be an existing folder, got "${path}".`);
  }
  return path;
}

function parse(args, options) {
  try {
    return parseArgs({ args, options });
  } catch (error) {
    // Removes the advice of Node about positional arguments, which benchmarks do not have.
    throw new UsageError(String(error instanceof Error ? error.message : error).split(/\n|(?<=\.) To /)[0]);
  }
}

function wholeNumber(name, text) {
  const number = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(number)) {
    throw new UsageError(`${name} must be a whole number above 0, got "${text}".`);
  }
  return number;
}
