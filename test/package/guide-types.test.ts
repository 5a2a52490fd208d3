import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { makeProject } from "./consumer.ts";

/** docs/guides/typed-templates.md as a compiler reads it; what its examples do when they run is in examples.test.ts. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(repository, "docs/guides/typed-templates.md"), "utf8");

const examples = [...guide.matchAll(/^```ts( wrong)?\n(.*?)^```$/gms)].map(([, wrong, code = ""], index) => ({
  file: `block-${index + 1}.ts`,
  code,
  isWrong: wrong !== undefined,
}));

/** What the compiler says, by file: each message with the line that it is about, counted from 1. */
let messages: Map<string, { line: number; text: string }[]>;

beforeAll(() => {
  const folder = makeProject(
    "typed-templates",
    Object.fromEntries([
      ["package.json", '{ "type": "module" }'],
      ["node_modules/.keep", ""],
      ...examples.map(({ file, code }) => [file, code]),
    ]),
  );
  for (const name of ["zod", "valibot", "arktype", "@types"]) {
    symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name));
  }
  const program = ts.createProgram(
    examples.map(({ file }) => join(folder, file)),
    {
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      types: ["node"],
    },
  );
  messages = new Map(examples.map(({ file }) => [file, []]));
  for (const { file, start = 0, messageText } of ts.getPreEmitDiagnostics(program)) {
    const name = examples.find((example) => file?.fileName.endsWith(`/${example.file}`))?.file ?? "";
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
    const text = ts.flattenDiagnosticMessageText(messageText, "\n");
    messages.set(name, [...(messages.get(name) ?? []), { line, text }]);
  }
}, 60_000);

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
