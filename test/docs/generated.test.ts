import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { entryPoints } from "../../scripts/entries.mjs";
import { read, repository } from "./declarations.ts";
import { regions } from "./regions.ts";

const guides = readdirSync(join(repository, "docs/guides")).map((name) => `docs/guides/${name}`);

/**
 * Returns a page with its generated regions updated. A region is between two comments, of which the first names a function of
 * regions.ts and its arguments: `<!-- generated: report-table bundlers.md Bytes -->` and `<!-- end of generated -->`.
 */
async function regenerate(page: string): Promise<string> {
  const parts = page.split(/^<!-- generated: ([^\n]+) -->\n.*?^<!-- end of generated -->$/ms);
  const generated = parts.map(async (part, index) => {
    if (index % 2 === 0) return part;
    const [name = "", ...words] = part.split(" ");
    const text = (await regions[name]?.(...words)) ?? expect.fail(`regions.ts has no function "${name}".`);
    return `<!-- generated: ${part} -->\n\n${text.trim()}\n\n<!-- end of generated -->`;
  });
  return (await Promise.all(generated)).join("");
}

it("the page of error codes has a section for each code, with the name of its class", () => {
  const files = [
    "errors/errors",
    "bulk/run-stopped-error",
    "bulk/journal/journal-error",
    "queue/queue-error",
  ];
  const source = files.map((file) => read(`src/${file}.ts`)).join("\n");
  const classes = source.split(/^export class /m).slice(1);
  const codes = classes.flatMap((text) => {
    const [, name] = /^(\w+)/.exec(text) ?? [];
    const [, code] = /override readonly code\b.* = "(\w+)";/.exec(text) ?? [];
    return code === undefined ? [] : [`## ${code}\n\n\`${name}\``];
  });
  expect(codes.length).toBeGreaterThan(15);
  const page = read("docs/guides/error-codes.md");
  expect(codes.filter((heading) => !page.includes(heading))).toEqual([]);
});

it("the page of options describes the options of every entry point", () => {
  const exported = Object.values(entryPoints).flatMap((path) => [
    ...read(path).matchAll(/\b\w+(?:Options|Limits)\b|\bTimeouts\b|\bRetry\b/g),
  ]);
  const page = read("docs/guides/options.md");
  // `JobOptions` are options of calls.
  const missing = [...new Set(exported.map(([name]) => name))].filter(
    (name) => name !== "JobOptions" && !page.includes(` ${name} -->`),
  );
  expect(missing).toEqual([]);
});

it.each(["README.md", "docs/reports/command-line.md", ...guides])(
  "%s has up-to-date tables (to update them, run `npm run docs -- tables`)",
  async (page) => {
    await expect(await regenerate(read(page))).toMatchFileSnapshot(join(repository, page));
  },
);
