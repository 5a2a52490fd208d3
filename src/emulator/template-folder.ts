import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { withoutPrototype } from "../runtime/own-options.ts";

/** One template file: `invoice.json` is the template with the uid `invoice`. */
export interface TemplateFile {
  readonly uid: string;
  /** The file name. */
  readonly file: string;
  /** The absolute path of the file. */
  readonly path: string;
  /** The error if another file has the same uid. */
  readonly duplicate?: string;
}

/** The file extensions of templates. */
const kinds = [".json", ".mjs", ".ts"];

/** Files that are not templates, in addition to hidden files and declarations. */
const others = /^\.|^(?:package|package-lock|tsconfig|jsconfig)(?:\.\w+)?\.json$|\.d\.ts$/;

/**
 * Reads the templates in a folder, by uid. It ignores files with other extensions, hidden files and subfolders, which may contain
 * shared code.
 */
export async function readTemplateFolder(folder: string): Promise<Map<string, TemplateFile>> {
  const entries = await readdir(folder, withoutPrototype({ withFileTypes: true as const })).catch(
    (cause: NodeJS.ErrnoException): never => {
      throw new Error(
        `The template folder ${folder} ${describeFolderError(cause)}. Pass the folder with your template files.`,
        { cause },
      );
    },
  );
  const templates = new Map<string, TemplateFile>();
  for (const { name: file } of entries.filter((entry) => !entry.isDirectory()).sort(byName)) {
    const kind = kinds.find((extension) => file.endsWith(extension));
    if (kind === undefined || others.test(file)) continue;
    // Some file systems decompose accented characters; callers use composed ones.
    const uid = file.slice(0, -kind.length).normalize();
    const first = templates.get(uid);
    if (first === undefined) {
      templates.set(uid, { uid, file, path: join(folder, file) });
    } else {
      const duplicate = `Two files in ${folder} have the uid ${uid}: ${first.file} and ${file}. Rename or remove one of them.`;
      templates.set(uid, { ...first, duplicate });
    }
  }
  return templates;
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** Describes why a folder cannot be read. */
export function describeFolderError({ code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "does not exist";
  if (code === "ENOTDIR") return "is not a folder";
  return `cannot be read (${code ?? message})`;
}
