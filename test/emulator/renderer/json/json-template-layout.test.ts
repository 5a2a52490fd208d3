import { describe, expect, it } from "vitest";
import { contentOf, issuesOf, parseErrorOf } from "./json-filling.ts";

type ByIndex = (index: number) => unknown;
type Layout = { readonly [name: string]: unknown } & {
  readonly hLineWidth?: ByIndex;
  readonly vLineWidth?: ByIndex;
  readonly hLineColor?: ByIndex;
};

function layoutOf(layout: unknown, values: Record<string, unknown> = {}): Layout {
  const table = contentOf({ table: { body: [["a"]] }, layout }, values) as { readonly layout: Layout };
  return table.layout;
}

describe("a table layout that is an object", () => {
  it("applies a constant to every row or column", () => {
    for (const name of ["hLineWidth", "paddingLeft", "fillOpacity"]) {
      const valueAt = layoutOf({ [name]: 3 })[name] as ByIndex;
      expect({ first: valueAt(0), last: valueAt(99) }).toEqual({ first: 3, last: 3 });
    }
  });

  it.each<[string, unknown[]]>([
    ["hLineWidth", [1, 0, 2]],
    ["hLineColor", ["red", "#aaa", null]],
    ["fillColor", [null, "#eee", ["stripe", "blue"]]],
    ["hLineStyle", [null, { dash: { length: 2 } }, null]],
  ])("applies the items of `%s` by index, and repeats the last item", (name, list) => {
    const valueAt = layoutOf({ [name]: list })[name] as ByIndex;
    expect([0, 1, 2, 3, 500].map(valueAt)).toEqual([...list, list[2], list[2]]);
  });

  it("can contain a boolean, which is passed to pdfmake unchanged", () => {
    expect(layoutOf({ defaultBorder: false })).toEqual({ defaultBorder: false });
  });

  it("can contain placeholders, `$if` and `$each`", () => {
    const layout = {
      hLineColor: ["{{color}}", { $if: "missing", $show: "red", $else: "blue" }],
      vLineWidth: { $if: "framed", $show: [2, 0], $else: 1 },
      paddingTop: [{ $each: "paddings", $show: 4 }],
    };
    const filled = layoutOf(layout, { color: "#123", paddings: [] });
    expect({ first: filled.hLineColor?.(0), second: filled.hLineColor?.(1) }).toEqual({
      first: "#123",
      second: "blue",
    });
    expect(filled.vLineWidth?.(0)).toBe(1);
    expect(layoutOf(layout, { color: "", paddings: [], framed: true }).vLineWidth?.(1)).toBe(0);
    // If the array is empty, pdfmake uses its default.
    expect(filled).not.toHaveProperty("paddingTop");
  });
});

it("a table layout can be specified by name, even if the name comes from the values", () => {
  expect(layoutOf("{{name}}", { name: "headerLineOnly" })).toBe("headerLineOnly");
  const content = { table: { body: [[""]] }, layout: "{{name}}" };
  expect(issuesOf({ content }, {})).toEqual(["name has no value (content.layout)"]);
});

describe("an invalid table layout", () => {
  const forEach = "or an array with one for each row or column.";
  const number = `must be a number, ${forEach}`;
  const style = `must be null or an object such as {"dash":{"length":2}}, ${forEach}`;
  const noLayout = 'must be the name of a layout, such as "noBorders", or an object.';

  it.each<[unknown, string]>([
    [{ hLineWidht: 1 }, ".hLineWidht: is not a property of a table layout. The properties are: hLineWidth, "],
    [{ hLineWidth: "1" }, `.hLineWidth: ${number}`],
    [{ vLineWidth: [1, "{{a}}"] }, `.vLineWidth: ${number}`],
    [{ hLineStyle: "dashed" }, `.hLineStyle: ${style}`],
    [{ defaultBorder: [true, false] }, ".defaultBorder: must be true or false."],
    [{ $if: "a", $show: [] }, `.$show: ${noLayout}`],
    [{ $each: "a", $show: {} }, ": `$each` must be in an array. Wrap it i"],
  ])("is reported with its location in the template: %j", (layout, message) => {
    const parseError = parseErrorOf(JSON.stringify({ content: [{ table: { body: [["a"]] }, layout }] }));
    const expected = `invoice.json, content[0].layout${message}`;
    expect(parseError.slice(0, expected.length)).toBe(expected);
  });
});
