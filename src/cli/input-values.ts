import type { Readable } from "node:stream";
import { describeKind } from "../errors/value-kinds.ts";
import { FileTooLarge } from "../files/read-file.ts";
import { decodeJson } from "./decode-utf8.ts";
import { describeReadError, Misuse } from "./failure.ts";
import { isStdin, maxJsonBytes, readInput } from "./input.ts";

/** Where the values for a document come from. */
export interface ValuesSource {
  /** A JSON file, or `-` for standard input. */
  readonly file: string | undefined;
  /** Overrides, each as `key=value`. */
  readonly pairs: readonly string[];
}

/**
 * Reads the values from the file and overrides properties with each `key=value`, whose value is a string.
 *
 * @throws {Misuse} with the file and the position of the error, but without the content
 */
export async function readValues(
  { file, pairs }: ValuesSource,
  stdin: Readable,
): Promise<Record<string, unknown>> {
  const overriding = pairs.map(splitPair);
  const values = file === undefined ? {} : await readObject(file, stdin);
  for (const [key] of overriding) refuseNested(key, values);
  // `Object.fromEntries` treats `__proto__` as an ordinary name.
  return Object.fromEntries([...Object.entries(values), ...overriding]);
}

function splitPair(pair: string, index: number): readonly [key: string, value: string] {
  const equals = pair.indexOf("=");
  if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)];
  // The message omits the text, which may be a value without its key.
  const wrong = equals === 0 ? "no key before its =" : "no =";
  throw new Misuse(
    `The --set option at position ${index + 1} has ${wrong}. Write it as --set key=value, in quotes if it contains spaces.`,
  );
}

/** Placeholders use dots for nested properties, so users may expect that here. */
function refuseNested(key: string, values: object): void {
  const [head = ""] = key.split(".");
  const outer = Object.getOwnPropertyDescriptor(values, head)?.value;
  if (head === key || Object.hasOwn(values, key) || typeof outer !== "object" || outer === null) return;
  throw new Misuse(
    `--set ${key} cannot set a property of ${head}, because --set only sets top-level properties. Use --values instead.`,
  );
}

async function readObject(file: string, stdin: Readable): Promise<object> {
  const name = isStdin(file) ? "standard input" : file;
  const bytes = await readInput(file, stdin, maxJsonBytes).catch((cause: unknown) => {
    const what = `Could not read the values from ${name}: ${describeReadError(cause)}.`;
    const next =
      cause instanceof FileTooLarge
        ? "Leave out the values that the template does not use."
        : "Give --values a JSON file, or - for standard input.";
    throw new Misuse(`${what} ${next}`, { cause });
  });
  const values = decodeJson(bytes, name);
  if (typeof values === "object" && values !== null && !Array.isArray(values)) return values;
  throw new Misuse(
    `${name}:1:1: the values are ${describeKind(values)}. Use one JSON object with a property for each placeholder.`,
  );
}
