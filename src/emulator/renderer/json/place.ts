import { formatPlace, type Place } from "../../../service/format-place.ts";
import { TemplateMistake } from "../template-mistake.ts";

/** Makes the mistake for something that is wrong in a template file, in one line that begins with the file. */
export function faultAt(file: string, place: Place, problem: string): TemplateMistake {
  return new TemplateMistake(`${[file, formatPlace(place)].filter(Boolean).join(", ")}: ${problem}`);
}
