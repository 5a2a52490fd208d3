import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Combination } from "./combinations.ts";

type Files = Readonly<Record<string, string>>;

/** Writes what a user would: code that makes invoices, its tests, and a mock of the service. */
export function writeProject(folder: string, combination: Combination): void {
  mkdirSync(folder, { recursive: true });
  const { format, runner } = combination;
  let files = esModules(combination);
  if (format === "CommonJS") files = runner === "vitest run" ? withCommonJsCode(files) : commonJs(files);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

function esModules({ mock, runner, moment, clientOptions }: Combination): Files {
  let tests = read("tests.js");
  if (runner === "vitest run") {
    tests = replace(tests, '{ before, test } from "node:test"', '{ beforeAll, test } from "vitest"');
    tests = replace(tests, "\nbefore(", "\nbeforeAll(");
  }
  if (clientOptions) tests = replace(tests, "new Invoices();", `new Invoices(${clientOptions});`);
  const files = {
    "package.json": manifest("module", runner),
    "invoices.js": read("invoices.js"),
    "pdf-service.js": read(mock),
  };
  if (moment === "after") return { ...files, "invoices.test.js": tests };
  tests = replace(tests, /^before.*\n\n/m, "");
  tests = replace(tests, /^(?=import .* from "template-pdf";$)/m, 'import "./start-pdf-service.js";\n');
  const starting = 'import { start } from "./pdf-service.js";\n\nstart();\n';
  return { ...files, "start-pdf-service.js": starting, "invoices.test.js": tests };
}

function commonJs(files: Files): Files {
  const { "package.json": _, ...modules } = files;
  const converted = Object.entries(modules).map(([name, text]) => [name, toCommonJs(text)]);
  return { "package.json": manifest("commonjs", "node --test"), ...Object.fromEntries(converted) };
}

/** Vitest's own functions come in an ES module alone: of its users' files only the code can be CommonJS. */
function withCommonJsCode({
  "invoices.js": code = "",
  "invoices.test.js": tests = "",
  ...others
}: Files): Files {
  return {
    ...others,
    "invoices.cjs": toCommonJs(code),
    "invoices.test.js": replace(tests, "./invoices.js", "./invoices.cjs"),
  };
}

function toCommonJs(text: string): string {
  const exported = [...text.matchAll(/^export (?:async )?(?:class|const|function) (\w+)/gm)];
  const converted = text
    .replaceAll(/^import (?:\* as )?(.+) from (".+");$/gm, "const $1 = require($2);")
    .replaceAll(/^import (".+");$/gm, "require($1);")
    .replaceAll(/^export /gm, "");
  if (exported.length === 0) return converted;
  return `${converted}\nmodule.exports = { ${exported.map(([, name]) => name).join(", ")} };\n`;
}

function manifest(type: "module" | "commonjs", test: string): string {
  return `${JSON.stringify({ private: true, type, scripts: { test } }, null, 2)}\n`;
}

function read(name: string): string {
  return readFileSync(new URL(`project/${name}`, import.meta.url), "utf8");
}

function replace(text: string, what: string | RegExp, by: string): string {
  const replaced = text.replace(what, by);
  if (replaced === text) throw new Error(`There is no ${what} in the project any more.`);
  return replaced;
}
