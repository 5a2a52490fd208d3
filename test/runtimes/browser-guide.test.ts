import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { makeProject } from "../package/consumer.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { strictOptions } from "../support/strict-options.ts";

/** docs/guides/browser.md as a compiler reads it, with the packed package; what it tells is tried in the other files beside this one. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(repository, "docs/guides/browser.md"), "utf8");
const blocks = blocksOf(guide, "ts");

describe("the guide to pages", () => {
  it("shows code that compiles, on the server and in the page", { timeout: 120_000 }, () => {
    expect(blocks.length).toBeGreaterThan(0);
    const folder = makeProject(
      "browser-guide",
      Object.fromEntries([
        ["package.json", '{ "type": "module" }'],
        ["node_modules/.keep", ""],
        ...blocks.map((code, index) => [`block-${index + 1}.ts`, code]),
      ]),
    );
    for (const name of ["zod", "@types"]) {
      symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name));
    }
    const program = ts.createProgram(
      blocks.map((_, index) => join(folder, `block-${index + 1}.ts`)),
      { ...strictOptions, lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"] },
    );
    const messages = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${file?.fileName.split("/").at(-1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    expect(messages).toEqual([]);
  });
});
