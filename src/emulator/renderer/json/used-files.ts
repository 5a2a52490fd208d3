import { describeThrown, isInstance } from "../../../errors/foreign-values.ts";
import { isDeeperThan, isJsonObject, type JsonPath, maxNesting, tooDeep } from "../../../json/json-value.ts";
import { FaultyTemplate } from "../template-fault.ts";
import { type JsonFile, TemplateSource } from "./template-source.ts";

/** Reads a file that a template uses, such as `shared/letterhead.json`. @throws {Error} if it cannot be read. Its message follows "a file that" */
export type ReadUsed = (name: string) => JsonFile;

/** Parses a JSON file. @throws {FaultyTemplate} if it is not JSON */
export type ParseFile = (file: JsonFile) => unknown;

/** The maximum number of `$use` objects in a template and its files, which limits how a small file can grow. */
const maxUses = 1_000;

/** A template in which the contents of files stand for the objects with `$use`. */
export interface Expanded {
  readonly json: unknown;
  readonly source: TemplateSource;
}

/** Replaces each `{ "$use": "shared/letterhead.json" }` in a template, and in the files that it uses. */
export function expandUses(main: JsonFile, json: unknown, read: ReadUsed, parse: ParseFile): Expanded {
  const used = new Map<unknown, JsonFile>();
  let uses = 0;

  function expand(part: unknown, file: JsonFile, place: JsonPath, around: readonly string[]): unknown {
    if (Array.isArray(part)) {
      part.forEach((item, index) => {
        part[index] = expand(item, file, [...place, index], around);
      });
    } else if (isJsonObject(part)) {
      if (Object.hasOwn(part, "$use")) return contentsOf(part, file, place, around);
      for (const [name, value] of Object.entries(part)) {
        if (place.length === 0 && dataNames.has(name)) continue;
        // A name such as `__proto__` is a property like any other.
        const inner = expand(value, file, [...place, name], around);
        if (inner !== value) Object.defineProperty(part, name, { value: inner });
      }
    }
    return part;
  }

  function contentsOf(
    object: Readonly<Record<string, unknown>>,
    file: JsonFile,
    place: JsonPath,
    around: readonly string[],
  ): unknown {
    const at = [...place, "$use"];
    const fail = (problem: string) => new TemplateSource(file).faultAt(at, problem);
    const { $use: name, ...others } = object;
    if (typeof name !== "string") throw fail('must be the name of a file, such as "shared/letterhead.json".');
    const [other] = Object.keys(others);
    if (other !== undefined) throw fail(`cannot be combined with \`${other}\`. Move it into the file.`);
    let contents: JsonFile;
    try {
      contents = read(name);
    } catch (error) {
      throw isInstance(error, FaultyTemplate) ? error : fail(`names a file that ${describeThrown(error)}.`);
    }
    if (around.includes(contents.path)) throw fail("uses a file that uses itself. Remove one of the uses.");
    uses += 1;
    if (uses > maxUses) throw fail(`is one of more than ${maxUses} uses of files. Use fewer.`);
    const json = parse(contents);
    if (!isJsonObject(json) && !Array.isArray(json)) {
      throw new TemplateSource(contents).faultAt(
        [],
        "must be an object or an array, because it is used as a part of templates.",
      );
    }
    if (isDeeperThan(json, maxNesting))
      throw new TemplateSource(contents).faultAt([], `${tooDeep}. Flatten it.`);
    const expanded = expand(json, contents, [], [...around, contents.path]);
    if (expanded === json) used.set(json, contents);
    return expanded;
  }

  const expanded = expand(json, main, [], [main.path]);
  return { json: expanded, source: new TemplateSource(main, expanded, used) };
}

/** The parts of a template that are data, in which `$use` has no meaning. */
const dataNames: ReadonlySet<string> = new Set(["schema", "sample"]);
