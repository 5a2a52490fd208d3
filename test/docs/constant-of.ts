import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Reads a private constant of a file, such as `const maxHeldBytes = 64 * 1024;`: a number or a product of numbers. */
export function constantOf(file: string, name: string): number {
  const source = readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
  const [, product] = new RegExp(`^const ${name} = ([\\d_* ]+);$`, "m").exec(source) ?? [];
  if (product === undefined) throw new Error(`${file} has no constant \`${name}\` that is a number.`);
  return product
    .replaceAll("_", "")
    .split("*")
    .reduce((value, factor) => value * Number(factor), 1);
}
