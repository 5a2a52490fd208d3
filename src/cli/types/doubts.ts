import { basename, dirname, join } from "node:path";
import { readSmallFile } from "../../files/read-file.ts";
import type { SampleFile } from "./sample-file.ts";

/** The maximum size of `package.json` and `tsconfig.json` in bytes. A larger one is ignored. */
const maxManifestBytes = 4 * 1024 * 1024;

/** Matches a name that ends in a small number, like that of a numbered sample. A year is probably part of a uid. */
const numbered = /^(.+?)([-_ ])\d{1,3}$/;

/** Warns about files such as `invoice-1.json` and `invoice-2.json`, which would be separate templates. */
export function askAboutNumbers(files: readonly SampleFile[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { name, uid, kind } of files) {
    const [, stem, separator] = numbered.exec(basename(name).replace(/\..*$/s, "")) ?? [];
    if (uid !== undefined || kind === "module" || stem === undefined) continue;
    const key = join(dirname(name), stem) + separator;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups]
    .filter(([, names]) => names.length > 1)
    .map(([key, names]) => {
      const uid = basename(key.slice(0, -1));
      const words = names.map((name) => `${uid}=${name}`).join(" ");
      return `${names.join(" and ")} are treated as separate templates. If they are samples of one template, write ${words}`;
    });
}

/** Warns about an output that TypeScript rejects: `verbatimModuleSyntax` forbids `import` and `export` in CommonJS packages. */
export async function warnOfCommonJs(folder: string, output: string): Promise<string[]> {
  if (!output.endsWith(".ts")) return [];
  const [manifest, settings] = [
    await nearest(folder, "package.json"),
    await nearest(folder, "tsconfig.json"),
  ];
  const isModule = /"type"\s*:\s*"module"/.test(manifest);
  if (isModule || !/^[ \t]*"verbatimModuleSyntax"[ \t]*:[ \t]*true/m.test(settings)) return [];
  const other = output.replace(/ts$/, "mts");
  return [
    `TypeScript will reject ${output}: package.json has no "type": "module", and tsconfig.json sets verbatimModuleSyntax. Add "type": "module", or use -o ${other}`,
  ];
}

async function nearest(folder: string, name: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const content = await readSmallFile(join(at, name), maxManifestBytes).catch(() => undefined);
    if (content !== undefined || at === dirname(at)) return content?.toString() ?? "";
  }
}
