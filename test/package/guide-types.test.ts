import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, expect, it } from "vitest";
import { strictOptions } from "../support/strict-options.ts";
import { makeProject } from "./consumer.ts";

// What the compiler says of the blocks of guides. examples.test.ts runs them.

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The guides to calls define these once, for all of their blocks. */
const assumed = {
  pdfs: 'declare const pdfs: import("template-pdf").TemplatePdf;',
  values: "declare const values: { date: string; total: string };",
};

const blocks = ["typed-templates", "clocks", "errors", "forms"].flatMap((guide) => {
  const text = readFileSync(join(repository, `docs/guides/${guide}.md`), "utf8");
  return [...text.matchAll(/^```ts( wrong)?\n(.*?)^```$/gms)].map(([, wrong, code = ""], index) => {
    const missing = Object.entries(assumed).filter(
      ([name]) => guide !== "typed-templates" && !code.includes(`const ${name} =`),
    );
    const whole = [code, ...missing.map(([, line]) => line), "export {};"].join("\n");
    return { file: `${guide}-${index + 1}.ts`, code, whole, isWrong: wrong !== undefined };
  });
});
// A block that is a file needs packages that are not installed here.
const compiled = blocks.filter(({ code }) => !/^\/\/ \S+\.ts\n/.test(code));

/** What the compiler says, by file: each message with the number of its line. */
const messages = new Map<string, { line: number; text: string }[]>();

beforeAll(() => {
  const folder = makeProject("guide-types", {
    "package.json": '{ "type": "module" }',
    "node_modules/.keep": "",
    ...Object.fromEntries(compiled.map(({ file, whole }) => [file, whole])),
  });
  for (const name of ["zod", "valibot", "arktype", "@types"]) {
    symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name), "junction");
  }
  const files = compiled.map(({ file }) => join(folder, file));
  for (const { file, start = 0, messageText } of ts.getPreEmitDiagnostics(
    ts.createProgram(files, strictOptions),
  )) {
    const name = file?.fileName.split("/").at(-1) ?? "";
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
    const text = ts.flattenDiagnosticMessageText(messageText, "\n");
    messages.set(name, [...(messages.get(name) ?? []), { line, text }]);
  }
}, 60_000);

it.each(compiled)(
  "the guide block $file compiles, or fails as its comments say",
  ({ file, code, isWrong }) => {
    const quoted = code.split("\n").flatMap((text, index) => {
      return isWrong && text.startsWith("// ")
        ? [{ line: index, text: expect.stringContaining(text.slice(3)) }]
        : [];
    });
    expect(quoted.length > 0).toBe(isWrong);
    expect(messages.get(file) ?? []).toEqual(quoted);
  },
);
