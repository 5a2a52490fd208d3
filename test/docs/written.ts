import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Makes the text of a region, from what stands after its name. */
export type Region = (...words: readonly string[]) => string | Promise<string>;

const folder = fileURLToPath(new URL("regions", import.meta.url));
const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ""));

const begin = /^<!-- generated: (.+) -->$/;
const end = "<!-- end of generated -->";

/** A paper with each of its generated regions as the code has it now. */
export async function written(paper: string): Promise<string> {
  const lines: string[] = [];
  let region: string | undefined;
  for (const line of paper.split("\n")) {
    if (line === end) region = undefined;
    if (region !== undefined) continue;
    lines.push(line);
    region = begin.exec(line)?.[1];
    if (region !== undefined) lines.push("", ...(await textOf(region)).trim().split("\n"), "");
  }
  if (region !== undefined) throw new Error(`\`${region}\` has no end: ${end} is missing after it.`);
  return lines.join("\n");
}

async function textOf(region: string): Promise<string> {
  const [name = "", ...words] = region.split(" ");
  if (!names.includes(name)) {
    throw new Error(`test/docs/regions has no region \`${name}\`. It has ${names.join(", ")}.`);
  }
  const { default: write } = (await import(`./regions/${name}.ts`)) as { default: Region };
  return write(...words);
}
