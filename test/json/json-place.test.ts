import { describe, expect, it } from "vitest";
import { placeInJson } from "../../src/json/json-place.ts";

describe("the place of something in a JSON text", () => {
  const text = '{\r\n  "a": [1,\r\n    {"b": null}]\r\n}';

  it.each<[path: (string | number)[], place: string | undefined]>([
    [[], "1:1"],
    [["a"], "2:8"],
    [["a", 0], "2:9"],
    [["a", 1, "b"], "3:11"],
    [["a", 2], undefined],
    [["c"], undefined],
  ])("%j is %s", (path, place) => {
    expect(placeInJson(text, path)).toBe(place);
    expect(placeInJson(`\ufeff${text}`, path)).toBe(place);
  });

  it("cannot be told where it is nested deeper than the stack holds", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(placeInJson(deep, [])).toBeUndefined();
  });
});
