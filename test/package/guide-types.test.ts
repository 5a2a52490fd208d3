import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../support/blocks-of.ts";
import { strictOptions } from "../support/strict-options.ts";
import { makeProject } from "./consumer.ts";

/** Guides as a compiler reads them; what their examples do when they run is in examples.test.ts. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(repository, "docs/guides/typed-templates.md"), "utf8");

const examples = [...guide.matchAll(/^```ts( wrong)?\n(.*?)^```$/gms)].map(([, wrong, code = ""], index) => ({
  file: `block-${index + 1}.ts`,
  code,
  isWrong: wrong !== undefined,
}));

/** What these guides say once, for all of their blocks. */
const assumed = {
  pdfs: 'declare const pdfs: import("template-pdf").TemplatePdf;',
  values: "declare const values: { date: string; total: string };",
};

const examplesOfOthers = ["clocks", "errors", "forms"].flatMap((name) =>
  blocksOf(readFileSync(join(repository, `docs/guides/${name}.md`), "utf8"), "ts")
    .map((code, index) => ({ file: `${name}-${index + 1}.ts`, code }))
    // A file needs packages that are not here.
    .filter(({ code }) => !/^\/\/ \S+\.ts\n/.test(code))
    .map(({ file, code }) => {
      const missing = Object.entries(assumed).filter(([word]) => !code.includes(`const ${word} =`));
      return { file, code: [code, ...missing.map(([, line]) => line), "export {};"].join("\n") };
    }),
);

/** What the compiler says, by file: each message with the line that it is about, counted from 1. */
let messages: Map<string, { line: number; text: string }[]>;

beforeAll(() => {
  const files = [...examples, ...examplesOfOthers].map(({ file }) => file);
  const folder = makeProject(
    "typed-templates",
    Object.fromEntries([
      ["package.json", '{ "type": "module" }'],
      ["node_modules/.keep", ""],
      ...[...examples, ...examplesOfOthers].map(({ file, code }) => [file, code]),
    ]),
  );
  for (const name of ["zod", "valibot", "arktype", "@types"]) {
    symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name), "junction");
  }
  const program = ts.createProgram(
    files.map((file) => join(folder, file)),
    strictOptions,
  );
  messages = new Map(files.map((file) => [file, []]));
  for (const { file, start = 0, messageText } of ts.getPreEmitDiagnostics(program)) {
    const name = files.find((each) => file?.fileName.endsWith(`/${each}`)) ?? "";
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
    const text = ts.flattenDiagnosticMessageText(messageText, "\n");
    messages.set(name, [...(messages.get(name) ?? []), { line, text }]);
  }
}, 60_000);

describe("the guides to calls", () => {
  it.each(examplesOfOthers)("compile in $file", ({ file }) => {
    expect(messages.get(file)).toEqual([]);
  });
});

describe("the guide to typed templates", () => {
  it.each(examples.filter(({ isWrong }) => !isWrong))("compiles in $file", ({ file }) => {
    expect(messages.get(file)).toEqual([]);
  });

  it.each(examples.filter(({ isWrong }) => isWrong))(
    "quotes what the compiler says of $file",
    ({ file, code }) => {
      const lines = code.split("\n");
      const quoted = lines.flatMap((text, index) =>
        text.startsWith("// ") ? [{ line: index, text: expect.stringContaining(text.slice(3)) }] : [],
      );
      expect(quoted.length).toBeGreaterThan(0);
      expect(messages.get(file)).toEqual(quoted);
    },
  );
});
