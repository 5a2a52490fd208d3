import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runInProcess } from "./run-in-process.ts";

/** The contents of files by their paths. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Creates a folder with files, which is removed after the test. */
export function folderOf(files: Files): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Runs `template-pdf types` in a folder; `words` are split at spaces. Returns its output, and the text of the default file. */
export async function runTypes(cwd: string, words: string) {
  const { code, stdout, stderr } = await runInProcess(["types", ...words.split(" ")], { cwd });
  const path = join(cwd, "pdf-templates.ts");
  const written = existsSync(path) ? readFileSync(path, "utf8") : "";
  return { code, stdout: stdout.toString(), stderr, written };
}

/** Returns the types of these files without comments. */
export async function typesOf(files: Files, words: string): Promise<string> {
  const { code, stderr, written } = await runTypes(folderOf(files), words);
  if (code !== 0 || stderr !== "") throw new Error(stderr);
  return written.replace(/^ *(?:\/\/|\/\*\*).*\n+/gm, "");
}
