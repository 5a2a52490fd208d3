import type { JsonPath } from "../../json/json-value.ts";

/** What is wrong with a JSON Schema. Its message is one line that names the place as `$ref` does: `#/properties/customer`. */
export class SchemaFault extends Error {
  override readonly name = "SchemaFault";
  /** What is wrong, without the place. */
  readonly reason: string;
  /** Where in the schema it stands: the names and the indices on the way to it. */
  readonly place: JsonPath;

  constructor(place: JsonPath, reason: string) {
    const names = place.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`);
    super(`#${names.join("")}: ${reason}`);
    this.place = place;
    this.reason = reason;
  }
}
