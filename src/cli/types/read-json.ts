import { dirname } from "node:path";
import { type JsonTemplate, parseJsonTemplate } from "../../emulator/renderer/json/json-template.ts";
import { pathOfUsed, readUserFile } from "../../emulator/renderer/user-file.ts";
import { FileTooLarge, readSmallFile } from "../../files/read-file.ts";
import { parseJson, positionInJson, syntaxErrors } from "../../json/json-text.ts";
import { isDeeperThan, isJsonObject, type JsonPath } from "../../json/json-value.ts";
import { decodeUtf8 } from "../decode-utf8.ts";
import { Misuse } from "../failure.ts";
import { maxJsonBytes } from "../input.ts";
import { kindOfJson, mayBeSchema } from "./json-kind.ts";
import { type SampleFile, uidOf, unreadable } from "./sample-file.ts";
import { type Collection, samplesOf } from "./template-samples.ts";

/** The maximum depth: far more than samples and schemas need, and far less than the stack allows. */
const maxDepth = 1500;

/**
 * Reads a JSON file: one sample, several in an array, a JSON Schema, or an emulator template.
 *
 * @returns warnings
 * @throws {Misuse} with the location of the problem, but without a value
 */
export async function readJson(file: SampleFile, collection: Collection): Promise<string[]> {
  const { name } = file;
  const text = await textOf(file);
  const json = parse(text, name);
  if (isDeeperThan(json, maxDepth)) {
    throw new Misuse(`${name}: this is nested deeper than ${maxDepth} levels.`);
  }
  const locate = (path: JsonPath) => `${name}:${positionInJson(text, path) ?? "1:1"}`;
  const addSample = (value: unknown, uid: string, path: JsonPath, label = name) =>
    samplesOf(collection, uid).addSample(value, file, () => locate(path), label);

  switch (kindOfJson(json, name)) {
    case "schema":
      samplesOf(collection, uidOf(file)).addSchema(json, file, locate);
      return [];
    case "template": {
      const uid = uidOf(file, true);
      const { schema, sample } = json as { readonly schema?: unknown; readonly sample?: unknown };
      const found = samplesOf(collection, uid);
      const template = readTemplate(text, file);
      if (schema === undefined && sample === undefined) {
        if (typeof template === "string") throw new Misuse(template);
        addSample(template.sample, uid, []);
        found.addTemplate({ file, locate, usage: template.usage }, template.sample);
        return [
          `${name}: this template has neither a schema nor a sample, so its types come from its placeholders. If the file is itself a sample, wrap the sample in an array.`,
        ];
      }
      if (schema === undefined) addSample(sample, uid, ["sample"]);
      else found.addSchema(schema, file, (path) => locate(["schema", ...path]));
      if (typeof template === "string") return [`${template} Its placeholders were ignored.`];
      found.addTemplate({ file, locate, usage: template.usage }, sample === undefined ? {} : template.sample);
      return [];
    }
    case "samples": {
      const values = json as readonly unknown[];
      if (values.length === 0) {
        throw new Misuse(`${name}: the array contains no samples. Add at least one.`);
      }
      for (const [index, value] of values.entries()) {
        addSample(value, uidOf(file), [index], values.length === 1 ? name : `${name}[${index}]`);
      }
      return [];
    }
    default:
      addSample(json, uidOf(file), []);
      return isJsonObject(json) && mayBeSchema(json)
        ? [
            `${name}: this file was read as a sample. If it is a JSON Schema, rename it to end in .schema.json.`,
          ]
        : [];
  }
}

/** Parses a template. Returns the message of the error if the text is not a template. */
function readTemplate(text: string, { name, path }: SampleFile): JsonTemplate | string {
  const read = (usedName: string) => {
    const used = pathOfUsed(dirname(path), usedName);
    return { path: used, text: readUserFile(used).toString() };
  };
  try {
    return parseJsonTemplate(text, name, { read });
  } catch (error) {
    return (error as Error).message;
  }
}

async function textOf({ path, name }: SampleFile): Promise<string> {
  const bytes = await readSmallFile(path, maxJsonBytes).catch((cause: unknown) => {
    if (!(cause instanceof FileTooLarge)) throw unreadable(name)(cause);
    const advice = "Save it as NDJSON, one sample per line, in a file that ends in .ndjson";
    throw new Misuse(`${name}: the file is larger than ${maxJsonBytes / 1024 ** 2} MiB. ${advice}.`);
  });
  const text = decodeUtf8(bytes, name);
  if (text.replace("\ufeff", "").trim() !== "") return text;
  throw new Misuse(`${name}: the file is empty. Add a sample, for example {"date":"1 May"}.`);
}

function parse(text: string, name: string): unknown {
  try {
    return parseJson(text, name);
  } catch (error) {
    const { message } = error as Error;
    const areLines = message === `${name}:2:1: ${syntaxErrors.EndOfFileExpected}`;
    const advice = "; this looks like NDJSON, one sample per line. Rename the file to end in .ndjson";
    throw new Misuse(`${message}${areLines ? advice : ""}.`);
  }
}
