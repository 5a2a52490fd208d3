import { positionAtEndOf } from "../../json/json-text.ts";
import type { JsonPath } from "../../json/json-value.ts";
import { formatJsonPath } from "../../request/serialize-values.ts";
import { allNames } from "./definition-names.ts";
import type { SourcePosition } from "./template.ts";
import { readUserFile } from "./user-file.ts";

/**
 * Finds the code that created a part of a definition. Objects do not know where they were created, so this is the nearest name on
 * the path that occurs once as a property in the module, otherwise the default export.
 */
export function locateInModule(path: string, part: JsonPath): SourcePosition {
  const text = readText(path);
  const names = part.filter((key) => typeof key === "string" && key !== "").reverse() as string[];
  const offset = names.map((name) => offsetOf(name, text)).find((found) => found !== undefined);
  const found = offset ?? /^export\s+default\b/m.exec(text)?.index ?? 0;
  // Other names may come from values.
  const isFixed = (key: string | number) =>
    typeof key === "number" || allNames.has(key) || text.includes(key);
  const shown = formatJsonPath(part.map((key) => (isFixed(key) ? key : "…")));
  return { file: path, ...positionAtEndOf(text.slice(0, found)), part: shown };
}

/** Returns the offset of the only property with this name, such as `colour:` or `"colour":`. */
function offsetOf(name: string, text: string): number | undefined {
  const offsets: number[] = [];
  for (
    let at = text.indexOf(name);
    at !== -1 && offsets.length < 2;
    at = text.indexOf(name, at + name.length)
  ) {
    const before = text.charAt(at - 1);
    const after = text.slice(at + name.length, at + name.length + 20);
    const isQuoted = /["']/.test(before) && after.startsWith(before);
    const isWhole = isQuoted || /[^\p{ID_Continue}$.]/u.test(before);
    // A shorthand property ends with a comma or a brace. An export has an equals sign.
    if (isWhole && /^["']?\s*[:(,}=]/.test(after)) offsets.push(isQuoted ? at - 1 : at);
  }
  return offsets.length === 1 ? offsets[0] : undefined;
}

function readText(path: string): string {
  try {
    return readUserFile(path).toString();
  } catch {
    // It is not a file, or was removed after it was loaded.
    return "";
  }
}
