import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { link, makeProject } from "../package/consumer.ts";
import { complaintsAbout } from "../support/compile.ts";

// Compiles the blocks of the guides. documented-examples.test.ts and test/docs run them.

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Constants that some guides define once for all of their blocks. */
const pdfs = 'declare const pdfs: import("template-pdf").TemplatePdf;';
const values = "declare const values: { date: string; total: string };";
const rows = "declare const rows: { number: string; total: string }[];";
const jobs = 'declare const jobs: { template: "invoice"; values: { number: string; total: string } }[];';
const guides: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  browser: {},
  bulk: { pdfs, rows, jobs },
  errors: { pdfs, values },
  migrating: {},
  observability: {},
  "proxies-and-tls": {},
  retries: { pdfs, values },
  security: {},
  streaming: { pdfs, values },
  timeouts: { pdfs, values },
  "typed-templates": {},
};

/** Blocks that need packages that are not installed. test/runtimes runs them. */
const elsewhere = /^\/\/ (?:express|s3-sink)\.ts\n/;

const blocks = Object.entries(guides).flatMap(([guide, assumed]) => {
  const text = readFileSync(join(repository, `docs/guides/${guide}.md`), "utf8");
  return [...text.matchAll(/^```ts( wrong)?\n(.*?)^```$/gms)].flatMap(([, wrong, code = ""], index) => {
    if (elsewhere.test(code)) return [];
    const missing = Object.entries(assumed).filter(([name]) => !code.includes(`const ${name} =`));
    const whole = [code, ...missing.map(([, line]) => line), "export {};"].join("\n");
    return { file: `${guide}-${index + 1}.ts`, code, whole, isWrong: wrong !== undefined };
  });
});

let complaints: ReturnType<typeof complaintsAbout>;

beforeAll(() => {
  const folder = makeProject("guide-types", {
    "package.json": '{ "type": "module" }',
    ...Object.fromEntries(blocks.map(({ file, whole }) => [file, whole])),
  });
  for (const name of ["zod", "valibot", "arktype", "undici", "@opentelemetry", "@types"]) link(folder, name);
  const lib = ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"];
  const paths = blocks.map(({ file }) => join(folder, file));
  complaints = complaintsAbout(paths, { lib });
}, 60_000);

it.each(blocks)("the example $file compiles, or fails as its comments say", ({ file, code, isWrong }) => {
  const quoted = code.split("\n").flatMap((text, index) => {
    return isWrong && text.startsWith("// ")
      ? [{ file, line: index, text: expect.stringContaining(text.slice(3)) }]
      : [];
  });
  expect(quoted.length > 0).toBe(isWrong);
  expect(complaints.filter((each) => each.file === file)).toEqual(quoted);
});
