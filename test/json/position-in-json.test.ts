import { describe, expect, it } from "vitest";
import { positionInJson } from "../../src/json/json-text.ts";

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
    expect(positionInJson(text, path)).toBe(place);
    expect(positionInJson(`\ufeff${text}`, path)).toBe(place);
  });

  it("cannot be told where it is nested deeper than the stack holds", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    expect(positionInJson(deep, [])).toBeUndefined();
  });
});
