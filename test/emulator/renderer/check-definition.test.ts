// cspell:ignore aligment befor colr landscap lineheight titel
import { describe, expect, it } from "vitest";
import { checkDefinition } from "../../../src/emulator/renderer/check-definition.ts";
import { formatJsonPath } from "../../../src/request/serialize-values.ts";

const mistakesIn = (definition: object, isStrict = true, isTemplate = false) =>
  checkDefinition(definition, { isTemplate, isStrict }).map(
    ({ path, message }) => `${formatJsonPath(path)} ${message}`,
  );

const tableOf = (table: object) => mistakesIn({ content: { table } });

describe("an unknown name in a definition", () => {
  it.each<[object, string]>([
    [{ footr: "a" }, "footr is unknown, so it has no effect. Did you mean `footer`?"],
    [
      { content: [{ text: "a", colour: "red" }] },
      "content[0].colour is unknown, so it has no effect. Did you mean `color`?",
    ],
    [
      { content: { text: [{ text: "a", italic: true }] } },
      "content.text[0].italic is unknown, so it has no effect. Did you mean `italics`?",
    ],
    [{ content: { txt: "a" } }, "content.txt is unknown, so it has no effect. Did you mean `text`?"],
    [
      { content: { table: { body: [["a"]], width: ["*"] } } },
      "content.table.width is unknown, so it has no effect. Did you mean `widths`?",
    ],
    [
      { content: { table: { body: [[{ text: "", colspan: 2 }]] } } },
      "content.table.body[0][0].colspan is unknown, so it has no effect. Did you mean `colSpan`?",
    ],
    [
      { content: { columns: [{ ul: [{ text: "", aligment: "right" }] }] } },
      "content.columns[0].ul[0].aligment is unknown, so it has no effect. Did you mean `alignment`?",
    ],
    [
      { content: "", styles: { title: { fontsize: 9 } } },
      "styles.title.fontsize is unknown, so it has no effect. Did you mean `fontSize`?",
    ],
    [
      { content: "", defaultStyle: { lineheight: 1 } },
      "defaultStyle.lineheight is unknown, so it has no effect. Did you mean `lineHeight`?",
    ],
    [
      { content: { canvas: [{ type: "path", d: "", linewidth: 1 }] } },
      "content.canvas[0].linewidth is unknown, so it has no effect. Did you mean `lineWidth`?",
    ],
    [
      { content: { toc: { titel: "" } } },
      "content.toc.titel is unknown, so it has no effect. Did you mean `title`?",
    ],
    [
      { content: "", footer: { text: "", colr: "" } },
      "footer.colr is unknown, so it has no effect. Did you mean `color`?",
    ],
    [
      { content: { text: "", zzz: 1 } },
      "content.zzz is unknown, so it has no effect. Remove it, or begin its name with _.",
    ],
  ])("is found: %j", (definition, message) => {
    expect(mistakesIn({ content: "", ...definition })).toEqual([message]);
  });

  it("may be a module's own if it does not resemble a known name", () => {
    const content = [{ text: "", zzz: 1, orderNumber: 2, colour: "red" }];
    expect(mistakesIn({ content }, false)).toEqual([
      "content[0].colour is unknown, so it has no effect. Did you mean `color`?",
    ]);
  });

  it("may begin with _, for comments", () => {
    expect(mistakesIn({ _comment: "", content: { text: "", _comment: "" } })).toEqual([]);
  });

  it("is found in every branch of a template", () => {
    const wrong = { text: "{{a}}", colour: "" };
    const content = [
      { $if: "a", $show: wrong, $else: { $all: ["", wrong] } },
      { $each: "b", $show: { table: { body: [{ $each: "c", $show: [wrong] }] } } },
    ];
    expect(mistakesIn({ content }, true, true).map((mistake) => mistake.split(" ")[0])).toEqual([
      "content[0].$show.colour",
      "content[0].$else.$all[1].colour",
      "content[1].$show.table.body[0].$show[0].colour",
    ]);
  });
});

describe("an unknown value in a definition", () => {
  it.each<[object, string]>([
    [
      { content: { table: { body: [["a"]] }, layout: "noBorder" } },
      'content.layout has an unknown value. Did you mean "noBorders"?',
    ],
    [
      { content: { text: "", alignment: "centre" } },
      'content.alignment has an unknown value. Did you mean "center"?',
    ],
    [
      { content: { text: "", alignment: "x" } },
      "content.alignment has an unknown value. Use one of these: left, right, center, justify.",
    ],
    [
      { content: { text: "", pageBreak: "befor" } },
      'content.pageBreak has an unknown value. Did you mean "before"?',
    ],
    [{ pageSize: "A44" }, 'pageSize has an unknown value. Did you mean "A4"?'],
    [{ pageOrientation: "landscap" }, 'pageOrientation has an unknown value. Did you mean "landscape"?'],
    [
      { content: { canvas: [{ type: "rectangle" }] } },
      'content.canvas[0].type has an unknown value. Did you mean "rect"?',
    ],
    [
      { styles: { a: { decoration: "underlined" } } },
      'styles.a.decoration has an unknown value. Did you mean "underline"?',
    ],
    [
      { styles: { title: {} }, content: { text: "", style: "titel" } },
      'content.style is not one of the `styles`. Did you mean "title"?',
    ],
    [
      { styles: { title: {} }, content: { text: "", style: ["title", "qqq"] } },
      "content.style is not one of the `styles`. They are title.",
    ],
    [
      { content: { text: "", style: "title" } },
      "content.style is not one of the `styles`. The template has none.",
    ],
  ])("is found: %j", (definition, message) => {
    expect(mistakesIn({ content: "", ...definition })).toEqual([message]);
  });

  it("can depend on values in a template", () => {
    const content = { table: { body: [["a"]] }, layout: "{{a}}", style: "{{b}}", alignment: "{{c}}" };
    expect(mistakesIn({ content, pageSize: "{{d}}" }, true, true)).toEqual([]);
  });

  it("is not found in a definition without mistakes", () => {
    const styles = { title: { bold: true, extends: ["base"] }, base: {} };
    const content = [
      "text",
      1,
      null,
      {},
      { text: [{ text: "a", style: "" }, "b"], style: ["title", "base"] },
      { qr: "a", fit: 100, eccLevel: "M" },
      { svg: "<svg/>", width: 10 },
      { image: "a.png", fit: [1, 2], linkToFile: "f" },
      { toc: { title: { text: "a" } } },
      { table: { body: [["a"]], headerRows: 1, dontBreakRows: true }, layout: { defaultBorder: false } },
    ];
    expect(
      mistakesIn({ content, styles, pageSize: "a4", header: () => "", info: { title: "", own: "" } }),
    ).toEqual([]);
  });

  it.each<object>([{ bold: true }, { margin: [1, 2, 3, 4] }])(
    "an element without content is found: %j",
    (element) => {
      expect(mistakesIn({ content: [element] })[0]).toMatch(
        /^content\[0\] has no content\. Add one of these/,
      );
    },
  );
});

describe("a list of elements", () => {
  it.each(["stack", "columns", "ul", "ol", "canvas"])("must be an array: %s", (name) => {
    const message = `content.${name} must be an array. Wrap it in [ ].`;
    expect(mistakesIn({ content: { [name]: { text: "a" } } })).toContain(message);
    expect(mistakesIn({ content: { [name]: { $if: "a", $show: [] } } }, true, true)).toEqual([]);
  });
});

describe("an invalid value in a definition", () => {
  const sides =
    "must be a number, or an array of two (left and right, top and bottom) or four (left, top, right, bottom).";
  it.each<[object, string]>([
    [{ text: "", fontSize: "large" }, "content.fontSize must be a number."],
    [{ text: "", lineHeight: true }, "content.lineHeight must be a number."],
    [{ text: "", margin: "wide" }, `content.margin ${sides}`],
    [{ text: "", margin: [1, 2, 3] }, `content.margin ${sides}`],
    [
      { columns: [{ text: "", width: "wide" }] },
      'content.columns[0].width must be a number of points, a percentage such as "25%", "auto" or "*".',
    ],
    [{ canvas: [{ type: "rect", x: 1, y: 1, w: 1 }] }, "content.canvas[0] has no `h`, which a rect needs."],
    [{ canvas: [{ type: "path" }] }, "content.canvas[0] has no `d`, which a path needs."],
  ])("is found: %j", (content, message) => {
    expect(mistakesIn({ content })).toEqual([message]);
  });

  it("may be a numeric string, or depend on values", () => {
    const content = { text: "", fontSize: "12", margin: ["1", 2], lineHeight: null, columnGap: "" };
    expect(
      mistakesIn({
        content: [
          content,
          {
            columns: [
              { text: "", width: "50%" },
              { text: "", width: "star" },
            ],
          },
        ],
      }),
    ).toEqual([]);
    const template = { text: "", fontSize: "{{a}}", margin: { $if: "a", $show: 1 } };
    expect(mistakesIn({ content: template }, true, true)).toEqual([]);
  });
});

describe("an element in a text", () => {
  const fault = (path: string) =>
    `${path} is not drawn, because a text can contain only texts. Use \`stack\` instead of \`text\`, or put the texts into one array.`;

  it.each<[unknown, string]>([
    [["a", ["b", "c"]], "content.text[1]"],
    [["a", { stack: ["b"] }], "content.text[1]"],
    [["a", { image: "b.png" }], "content.text[1]"],
  ])("is found, because pdfmake does not draw it: %j", (text, path) => {
    expect(mistakesIn({ content: { text } })).toEqual([fault(path)]);
  });

  it("may be a text, nothing, or a reference to a page", () => {
    expect(
      mistakesIn({ content: { text: ["a", { text: "b" }, "", {}, [], { pageReference: "id" }] } }),
    ).toEqual([]);
    const each = { $each: "a", $show: { $all: ["{{this}}", { text: " " }] } };
    expect(mistakesIn({ content: { text: [each] } }, true, true)).toEqual([]);
    const nested = { $each: "a", $show: ["{{this}}", " "] };
    expect(mistakesIn({ content: { text: [nested] } }, true, true)).toEqual([fault("content.text[0].$show")]);
  });
});

describe("a table that cannot be laid out", () => {
  const short = 'Every row needs a cell for each column; write "" for one that is empty or covered.';
  it.each<[object, string]>([
    [{ body: "" }, "content.table.body must be an array of rows."],
    [{ body: ["a"] }, "content.table.body[0] must be a row, which is an array of cells. Wrap it in [ ]."],
    [{ body: [] }, "content.table.body must have a row with a cell. Leave out an empty table."],
    [{ body: [["a", "b"], ["c"]] }, `content.table.body[1] has 1 cell, but the first row has 2. ${short}`],
    [{ body: [["a"], ["b", "c"]] }, `content.table.body[1] has 2 cells, but the first row has 1. ${short}`],
    [
      { body: [["a", "b"]], widths: ["*"] },
      "content.table.widths has 1 entry for 2 columns. Write one for each column.",
    ],
    [
      { body: [["a"]], widths: ["*", 1] },
      "content.table.widths has 2 entries for 1 column. Write one for each column.",
    ],
    [
      { body: [["a"]], widths: ["wide"] },
      'content.table.widths[0] must be a number of points, a percentage such as "25%", "auto" or "*".',
    ],
    [{ body: [["a"]], headerRows: 2 }, "content.table.headerRows is 2, but the table has 1 row."],
    [
      { body: [[{ text: "", colSpan: 3 }, ""]] },
      "content.table.body[0][0].colSpan is 3, but the table has 2 columns from here. The first row determines the columns.",
    ],
    [
      { body: [[{ text: "", rowSpan: 2 }]] },
      "content.table.body[0][0].rowSpan is 2, but the table has 1 row from here.",
    ],
    [
      {
        body: [
          [{ text: "", rowSpan: 2 }, "b"],
          ["c", "d"],
        ],
      },
      "content.table.body[1][0] is covered by a cell that spans several rows or columns. Leave it empty.",
    ],
  ])("is found: %j", (table, message) => {
    expect(tableOf(table)).toEqual([message]);
  });

  it("is not found if spanned cells are empty or missing at the end of a row", () => {
    const big = { text: "", rowSpan: 2, colSpan: 2 };
    expect(
      tableOf({
        body: [
          ["a", "b", "c"],
          [big, "", "c"],
          ["", {}, "c"],
          ["a", { text: "", colSpan: 2 }],
        ],
      }),
    ).toEqual([]);
  });
});
