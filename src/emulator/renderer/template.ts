import type { JsonPath } from "../../json/json-value.ts";
import { formatJsonPath } from "../../request/values.ts";
import type { ValueIssue } from "../../service/invalid-values.ts";

/** A document definition, or why there is none: at least one thing. */
export type Filled =
  | { readonly definition: object; readonly issues?: undefined }
  | { readonly issues: readonly ValueIssue[] };

/** A template that is ready to be filled with values. */
export interface Template {
  /** Values to try it with. */
  readonly sample: Record<string, unknown>;
  /** A JSON Schema of the values, if the template has one. */
  readonly schema: object | undefined;
  /** Puts values in, and leaves them as they are. */
  fill(values: Record<string, unknown>): Filled | Promise<Filled>;
}

/** What the emulator itself finds wrong with a template. Its message holds no value, and is told as it is. */
export class TemplateMistake extends Error {
  override readonly name = "TemplateMistake";
  /** What it is about, as the definition has it: told without the values of the call, of which it may be one. */
  about: string | undefined;

  constructor(message: string, about?: string) {
    super(message);
    this.about = about;
  }
}

/** Makes the mistake for something that is wrong in a template file, in one line that begins with the file. */
export function mistakeAt(file: string, place: JsonPath, problem: string): TemplateMistake {
  return new TemplateMistake(`${[file, formatJsonPath(place)].filter(Boolean).join(", ")}: ${problem}`);
}
