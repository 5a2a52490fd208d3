import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { makeProject } from "../package/consumer.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { strictOptions } from "../support/strict-options.ts";

/** The blocks of these guides as a compiler reads them, with the packed package; that they run is in test/docs and test/package. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const guides = ["migrating", "network", "observability", "performance", "security"];

const blocks = guides.flatMap((guide) => {
  const text = readFileSync(join(repository, `docs/guides/${guide}.md`), "utf8");
  return blocksOf(text, "ts").map((code, index) => ({
    file: `${guide}-${index + 1}.ts`,
    code,
  }));
});

it("what the guides to operation show compiles", { timeout: 120_000 }, () => {
  for (const guide of guides) expect(blocks.map(({ file }) => file)).toContain(`${guide}-1.ts`);
  const folder = makeProject(
    "guides-to-operation",
    Object.fromEntries([
      ["package.json", '{ "type": "module" }'],
      ["node_modules/.keep", ""],
      ...blocks.map(({ file, code }) => [file, code]),
    ]),
  );
  for (const name of ["undici", "@opentelemetry", "@types"]) {
    symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name));
  }
  const program = ts.createProgram(
    blocks.map(({ file }) => join(folder, file)),
    strictOptions,
  );
  const messages = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
    return `${file?.fileName.split("/").at(-1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
  expect(messages).toEqual([]);
});
