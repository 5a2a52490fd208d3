import { readFile, stat } from "node:fs/promises";
import { parseJson, positionInJson } from "../../json/json-text.ts";
import { isJsonObject, type JsonPath } from "../../json/json-value.ts";
import { isDeeperThan, maxNesting } from "../../json/nesting.ts";
import { decodeUtf8 } from "../decode-utf8.ts";
import { describeReadError, Misuse } from "../failure.ts";
import { SchemaFault } from "../template-types/json-schema/schema-fault.ts";
import { checkSample } from "./check-sample.ts";
import type { Collection } from "./collection.ts";
import { kindOfJson, mayBeSchema } from "./json-kind.ts";
import { type SampleFile, uidOf } from "./sample-file.ts";

const maxMiB = 256;

/** Far deeper than samples and schemas are, and far less than the stack holds. */
const maxDepth = 1500;

/**
 * Reads a JSON file: one sample, several in an array, a JSON Schema, or a template of the emulator.
 *
 * @returns what is to be told though it went well
 * @throws {Misuse} naming the place of what is wrong, and no value
 */
export async function readJson(file: SampleFile, collection: Collection): Promise<string[]> {
  const { name } = file;
  const text = await textOf(file);
  const json = parse(text, name);
  const isDeep = isDeeperThan(json, maxNesting);
  if (isDeep && isDeeperThan(json, maxDepth))
    throw new Misuse(`${name}: this is nested deeper than ${maxDepth} levels.`);
  const locate = (path: JsonPath) => `${name}:${positionInJson(text, path) ?? "1:1"}`;
  const addSchema = (schema: unknown, uid: string, path: JsonPath) => {
    try {
      collection.of(uid).addSchema(schema, name, collection.sourceOf(file));
    } catch (error) {
      if (!(error instanceof SchemaFault)) throw error;
      throw new Misuse(`${locate([...path, ...error.place])}: ${error.reason}.`);
    }
    return [];
  };
  const addSample = (value: unknown, uid: string, path: JsonPath, found: string) => {
    const values = checkSample(value, () => locate(path), isDeep);
    collection.of(uid).addSample(values, () => found, collection.sourceOf(file));
    return [];
  };

  switch (kindOfJson(json, name)) {
    case "schema":
      return addSchema(json, uidOf(file), []);
    case "template": {
      const uid = uidOf(file, true);
      const { schema, sample } = json as { readonly schema?: unknown; readonly sample?: unknown };
      if (schema !== undefined) return addSchema(schema, uid, ["schema"]);
      if (sample !== undefined) return addSample(sample, uid, ["sample"], name);
      throw new Misuse(
        `${name}: this is a template of the emulator, and there is no schema where one was expected, nor a sample. ` +
          "Give it a member `schema` or `sample`; if it is a sample itself, put it into an array.",
      );
    }
    case "samples": {
      const values = json as readonly unknown[];
      const uid = uidOf(file);
      for (const [index, value] of values.entries()) {
        addSample(value, uid, [index], values.length === 1 ? name : `${name}[${index}]`);
      }
      if (values.length > 0) return [];
      throw new Misuse(`${name}: there is no sample in it. Put some into its array.`);
    }
    default:
      addSample(json, uidOf(file), [], name);
      return isJsonObject(json) && mayBeSchema(json)
        ? [`${name}: this was read as a sample. If it is a JSON Schema, let its name end in .schema.json.`]
        : [];
  }
}

async function textOf({ path, name }: SampleFile): Promise<string> {
  const { size } = await stat(path).catch(unreadable(name));
  if (size > maxMiB * 1024 * 1024) {
    throw new Misuse(
      `${name}: it is larger than ${maxMiB} MiB, too large to be read at once. Save it as NDJSON, a sample on each line, in a file that ends in .ndjson.`,
    );
  }
  const text = decodeUtf8(await readFile(path).catch(unreadable(name)), name);
  if (text.replace("\ufeff", "").trim() !== "") return text;
  throw new Misuse(`${name}: it is empty. Put a sample into it, such as {"date":"1 May"}.`);
}

function unreadable(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new Misuse(`Could not read ${name}: ${describeReadError(cause)}.`, { cause });
  };
}

function parse(text: string, name: string): unknown {
  try {
    return parseJson(text, name);
  } catch (error) {
    if (!areLines(text)) throw new Misuse(`${(error as Error).message}.`);
    throw new Misuse(
      `${name}:2:1: the JSON has ended already; this is NDJSON, a sample on each line. Let the name of the file end in .ndjson.`,
    );
  }
}

/** Whether its first line is an object of its own, and something follows. */
function areLines(text: string): boolean {
  const [first = "", ...rest] = text.replace("\ufeff", "").trim().split("\n", 3);
  if (rest.length === 0) return false;
  try {
    return isJsonObject(JSON.parse(first));
  } catch {
    return false;
  }
}
