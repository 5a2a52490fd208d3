import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findExcess, maxMemoryMegabytes } from "../../../src/emulator/renderer/definition-size.ts";
import { property } from "../../support/fuzz.ts";
import { pixel } from "../emulated.ts";

/** The smallest limit that a definition fits. */
function sizeOf(definition: object): number {
  let [tooSmall, enough] = [0, 1_000_000];
  while (enough - tooSmall > 1) {
    const middle = Math.floor((tooSmall + enough) / 2);
    if (findExcess(definition, middle) === undefined) enough = middle;
    else tooSmall = middle;
  }
  return enough;
}

const sharedRow = Array(1_000).fill("a");

describe("the size of a definition", () => {
  it.each<[what: string, definition: object, nodes: number]>([
    ["an empty document", { content: [] }, 2],
    ["words", { content: ["one two  three\nfour"] }, 7],
    ["a word with breaks", { content: ["a-b/c"] }, 5],
    ["characters of a script without spaces", { content: ["中文字"] }, 6],
    ["an element with a style", { content: [{ text: "a", style: "header", color: "red" }] }, 4],
    [
      "a table",
      {
        content: [
          {
            table: {
              body: [
                ["a", "b"],
                ["c", { text: "d" }],
              ],
            },
          },
        ],
      },
      12,
    ],
    ["numbers of a canvas", { content: [{ canvas: [{ type: "rect", x: 1, y: 2 }] }] }, 5],
    ["a QR code", { content: [{ qr: "x".repeat(3_000) }] }, 23],
    ["a page break", { content: [{ text: "a", pageBreak: "after" }] }, 14],
    ["an SVG image", { content: [{ svg: "<svg><g/></svg>" }] }, 14],
    ["an element that is used twice", { content: [sharedRow, sharedRow] }, 2_004],
    ["a long text of another property", { content: "a ".repeat(100) }, 102],
    [
      "images",
      { content: [{ image: `data:image/png;base64,${pixel}` }], images: { a: "x".repeat(9_999) } },
      3,
    ],
    ["bytes", { content: [{ image: Buffer.alloc(9_999) }, { image: new ArrayBuffer(9_999) }] }, 6],
    ["a function", { content: [], header: () => "a" }, 2],
  ])("counts %s", (_, definition, nodes) => {
    expect(sizeOf(definition)).toBe(nodes);
  });

  it("is too large if the definition contains itself", () => {
    const content: unknown[] = [];
    content.push(content);
    expect(findExcess({ content }, 1_000)).toContain("more than 1000 nodes");
  });

  it("can be determined for a definition that is nested 100,000 levels deep", () => {
    let node: unknown = "x";
    for (let level = 0; level < 100_000; level += 1) node = [node];
    expect(findExcess({ content: node }, 200_000)).toBeUndefined();
  });

  it.each([
    ["2,000 letters", "x".repeat(2_000), undefined],
    ["2,001 letters", "x".repeat(2_001), "a word of more than 2000 characters; insert spaces"],
    [
      "2,001 letters after a space",
      ` ${"x".repeat(2_001)} a`,
      "a word of more than 2000 characters; insert spaces",
    ],
    ["2,001 Chinese characters", "中".repeat(2_001), undefined],
  ])("allows words of up to 2,000 characters: %s", (_, text, problem) => {
    const excess = findExcess({ content: [{ text }] }, 10_000);
    if (problem === undefined) expect(excess).toBeUndefined();
    else expect(excess).toContain(problem);
  });

  it("increases the memory limit of a thread with `maxNodes`", () => {
    expect([1, 50_000, 100_000, 1e9].map(maxMemoryMegabytes)).toEqual([512, 512, 1_000, 8_192]);
  });

  property("is at least the number of words of all texts", () =>
    fc.property(fc.array(fc.array(fc.stringMatching(/^[a-zé,.;:]{1,9}$/), { minLength: 1 })), (texts) => {
      const words = texts.flat().length;
      const content = texts.map((text, index) => (index % 2 ? text.join(" ") : { text: [text.join("\n")] }));
      expect(sizeOf({ content })).toBeGreaterThanOrEqual(words);
    }),
  );
});
