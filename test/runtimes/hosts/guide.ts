import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The guide whose snippets these tests run. */
export const guide = readFileSync(
  fileURLToPath(new URL("../../../docs/guides/handler.md", import.meta.url)),
  "utf8",
);

const snippets = new Map(
  [...guide.matchAll(/^```tsx?\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, file = "", code = ""]) => [file, code]),
);

/** The files that the guide shows, by the name in their first line. */
export const filesOfGuide = [...snippets.keys()];

/**
 * Reads one of the guide's files.
 *
 * @param port - to listen on, in place of 3000
 * @throws {Error} when the guide shows no such file
 */
export function snippet(file: string, port = 3000): string {
  const code = snippets.get(file);
  if (code === undefined) throw new Error(`docs/guides/handler.md shows no ${file}.`);
  return code.replaceAll("3000", String(port));
}

/** What a compiler leaves of it. */
export function javaScript(code: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
