import type { JsonPath } from "../../../json/json-value.ts";
import { mistake, type Spot } from "./compile-text.ts";

/** In the rows of a table, an array of arrays would be one row whose cells are lists. */
export function refuseRows(json: Readonly<Record<string, unknown>>, spot: Spot): void {
  for (const name of ["$show", "$else"]) {
    const row = json[name];
    if (!isRow(spot.place) || !Array.isArray(row) || row.length === 0 || !row.every(Array.isArray)) continue;
    const problem = "is one row, but each of its cells is an array.";
    throw mistake(
      { ...spot, place: [...spot.place, name] },
      `${problem} For several rows, write {"$all": [ … ]}. For cells with several elements, write {"stack": [ … ]}.`,
    );
  }
}

/** Whether the element at a place becomes a row, possibly by way of other directives. */
function isRow(place: JsonPath): boolean {
  let length = place.length;
  while (place[length - 1] === "$show" || place[length - 1] === "$else" || place[length - 2] === "$all") {
    length -= place[length - 2] === "$all" ? 2 : 1;
  }
  return place[length - 2] === "body" && place[length - 3] === "table";
}
