import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { blocksOf } from "../support/blocks-of.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** What blocks of the guides import, loaded when one of them does. */
const modules: Readonly<Record<string, () => Promise<unknown>>> = {
  "node:fs": () => import("node:fs"),
  "node:fs/promises": () => import("node:fs/promises"),
  "template-pdf": () => import("template-pdf"),
  "@opentelemetry/api": () => import("@opentelemetry/api"),
  undici: () => import("undici"),
};

/**
 * Reads a guide.
 *
 * @param guide - its name, such as `network`
 */
export function guideText(guide: string): string {
  return readFileSync(join(repository, `docs/guides/${guide}.md`), "utf8");
}

/**
 * Gives a block that a guide shows as a file.
 *
 * @param guide - its name
 * @param file - the name of the file, which is the block's first line
 */
export function blockOf(guide: string, file: string): string {
  const found = blocksOf(guideText(guide), "ts").find((code) => code.startsWith(`// ${file}\n`));
  if (found === undefined) throw new Error(`docs/guides/${guide}.md has no block ${file}.`);
  return found;
}

/**
 * Runs a block in this process, with the package as its source is now.
 *
 * @param code - the block
 * @param replacements - what is put in the place of what the guide says, such as another base URL
 * @returns what it exports
 */
export async function runBlock<Exports>(
  code: string,
  replacements: Readonly<Record<string, string>> = {},
): Promise<Exports> {
  let script = await scriptOf(code);
  for (const [said, meant] of Object.entries(replacements)) {
    if (!script.includes(said)) throw new Error(`The block does not say ${said}.`);
    script = script.replaceAll(said, meant);
  }
  const loaded = new Map<string, unknown>();
  for (const [, name = ""] of script.matchAll(/ require\("([^"]+)"\);$/gm)) {
    const load = modules[name];
    if (load === undefined) throw new Error(`Nobody has said where ${name} comes from.`);
    loaded.set(name, await load());
  }
  const module = { exports: {} as Exports };
  new Function("require", "module", script)((name: string) => loaded.get(name), module);
  return module.exports;
}

const scripts = new Map<string, string>();

/** What a block is in JavaScript; that takes longer than most blocks run. */
async function scriptOf(code: string): Promise<string> {
  const script = scripts.get(code) ?? (await transform(code, { loader: "ts", format: "cjs" })).code;
  scripts.set(code, script);
  return script;
}
