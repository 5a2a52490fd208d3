import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../client/every-form.ts";
import { runCommand } from "./command.ts";
import { runHere } from "./command-here.ts";

/** Files by their paths. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** How `template-pdf types` ended, and what it left. */
export interface TypesEnding {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The text of the file that it writes where nothing else is said. */
  readonly written: string;
}

/** Makes a folder with files in it, which goes with the test. */
export function folderOf(files: Files): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Runs `template-pdf types` in a folder; `words` are taken apart at spaces. */
export async function runTypes(cwd: string, words: string): Promise<TypesEnding> {
  // A module is loaded by Node itself, and may end its process.
  const run = mayLoadModules(cwd, words) ? runCommand : runHere;
  const { code, stdout, stderr } = await run(["types", ...words.split(" ")], { cwd });
  return { code, stdout: stdout.toString(), stderr, written: textOf(join(cwd, "pdf-templates.ts")) };
}

/** What a command wrote for these files, without its comments. */
export async function typesOf(files: Files, words: string): Promise<string> {
  const { code, stderr, written } = await runTypes(folderOf(files), words);
  if (code !== 0 || stderr !== "") throw new Error(stderr);
  return written.replace(/^ *(?:\/\/|\/\*\*).*\n+/gm, "");
}

function mayLoadModules(cwd: string, words: string): boolean {
  return [words, ...readdirSync(cwd, { recursive: true, encoding: "utf8" })].some((name) =>
    /\.mjs\b/.test(name),
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
