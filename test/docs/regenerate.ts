import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Generates the text of a region from the words after its name. */
export type Region = (...words: readonly string[]) => string | Promise<string>;

const folder = fileURLToPath(new URL("regions", import.meta.url));
const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ""));

const begin = /^<!-- generated: (.+) -->$/;
const end = "<!-- end of generated -->";

/** Returns a page with its generated regions updated. */
export async function regenerate(page: string): Promise<string> {
  const lines: string[] = [];
  let region: string | undefined;
  for (const line of page.split("\n")) {
    if (line === end) region = undefined;
    if (region !== undefined) continue;
    lines.push(line);
    region = begin.exec(line)?.[1];
    if (region !== undefined) lines.push("", ...(await textOf(region)).trim().split("\n"), "");
  }
  if (region !== undefined) throw new Error(`Expected ${end} after \`generated: ${region}\`.`);
  return lines.join("\n");
}

async function textOf(region: string): Promise<string> {
  const [name = "", ...words] = region.split(" ");
  if (!names.includes(name)) {
    throw new Error(`Expected a region of test/docs/regions (${names.join(", ")}), got "${name}".`);
  }
  const { default: write } = (await import(`./regions/${name}.ts`)) as { default: Region };
  return write(...words);
}
