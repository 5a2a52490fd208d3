import { locateInJson } from "../../../json/json-text.ts";
import type { JsonPath } from "../../../json/json-value.ts";
import { formatJsonPath } from "../../../request/serialize-values.ts";
import type { SourcePosition } from "../template.ts";
import { FaultyTemplate } from "../template-fault.ts";

/** A JSON file. */
export interface JsonFile {
  readonly path: string;
  readonly text: string;
}

/** A JSON template with the files that it uses, and the position of each part in them. */
export class TemplateSource {
  readonly #main: JsonFile;
  readonly #root: unknown;
  /** The contents of the used files, which replace the objects with `$use`. */
  readonly #used: ReadonlyMap<unknown, JsonFile>;

  constructor(main: JsonFile, root?: unknown, used: ReadonlyMap<unknown, JsonFile> = new Map()) {
    this.#main = main;
    this.#root = root;
    this.#used = used;
  }

  /**
   * Creates the error for a mistake.
   *
   * @param place - the part of the template. If it is missing there, the position is that of the object that lacks it
   * @param of - whether the name of the property is wrong or its value
   */
  faultAt(place: JsonPath, message: string, of?: "name"): FaultyTemplate {
    return new FaultyTemplate([{ ...this.locate(place, of), message }]);
  }

  /** Finds the position of a part. */
  locate(place: JsonPath, of: "name" | "value" = "value"): SourcePosition {
    let file = this.#main;
    let inFile = place;
    let json = this.#root;
    for (const [index, key] of place.entries()) {
      json = (json as Record<string | number, unknown> | undefined | null)?.[key];
      const used = this.#used.get(json);
      if (used) [file, inFile] = [used, place.slice(index + 1)];
    }
    const position = positionOf(file, inFile, of);
    return { file: file.path, ...position, part: formatJsonPath(place) };
  }
}

function positionOf({ text }: JsonFile, place: JsonPath, of: "name" | "value") {
  for (let length = place.length; length >= 0; length -= 1) {
    const found = locateInJson(text, place.slice(0, length), length === place.length ? of : "value");
    if (found) return found;
  }
  return undefined;
}
