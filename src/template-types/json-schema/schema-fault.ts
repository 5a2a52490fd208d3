import type { JsonPath } from "../../json/json-value.ts";

/**
 * An error in a JSON Schema. Its message is one line that names the location in `$ref` notation, such as
 * `#/properties/customer`.
 */
export class SchemaFault extends Error {
  override readonly name = "SchemaFault";
  /** The problem without its location. */
  readonly reason: string;
  /** The names and indices that lead to the location in the schema. */
  readonly place: JsonPath;

  constructor(place: JsonPath, reason: string) {
    const names = place.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`);
    super(`#${names.join("")}: ${reason}`);
    this.place = place;
    this.reason = reason;
  }
}
