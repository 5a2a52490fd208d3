import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { foldedPath, realPathOf } from "../../bulk/folder/document-paths.ts";
import { Misuse } from "../failure.ts";
import type { BulkPlan } from "./plan.ts";

/** The maximum number of cached real paths of folders. */
const maxKnownFolders = 10_000;

/** The files of a run: each must be a different file, and no document may replace one. */
export class RunFiles {
  /** The description of each file by its real path. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();
  readonly #platform: string;

  /** @throws {Misuse} if two paths lead to the same file */
  constructor({ file, journal, report }: BulkPlan, schema: string | undefined, platform: string) {
    this.#platform = platform;
    const files: readonly (readonly [path: string | undefined, what: string, option: string])[] = [
      [file === "-" ? undefined : file, "the data", "the data"],
      [schema, "the schema", "--schema"],
      [journal, "the journal", "--journal"],
      [`${journal}.old`, "the previous journal", "--journal"],
      [`${journal}.lock`, "the journal's lock", "--journal"],
      [report?.path, "the report", "--report"],
    ];
    for (const [path, what, option] of files) {
      if (path === undefined) continue;
      const other = this.whatAt(path);
      const same = `T${what.slice(1)} and ${other} are the same file, ${path}`;
      if (other !== undefined) throw new Misuse(`${same}. Give ${option} another name.`);
      this.#files.set(this.#realPathOf(path), what);
    }
  }

  /** Returns the description of the file that a path leads to, if it is one of these files. */
  whatAt(path: string): string | undefined {
    return this.#files.get(this.#realPathOf(path));
  }

  /** Resolves the links of a folder only once, because it can contain a million documents. */
  #realPathOf(path: string): string {
    const absolute = resolve(path);
    const folder = dirname(absolute);
    let realFolder = this.#folders.get(folder);
    if (realFolder === undefined) {
      if (this.#folders.size === maxKnownFolders) this.#folders.clear();
      realFolder = realPathOf(folder);
      this.#folders.set(folder, realFolder);
    }
    const real = join(realFolder, basename(absolute));
    return foldedPath(isLink(real) ? realPathOf(real) : real, this.#platform);
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    // A path that cannot be read is not a link to one of the files.
    return false;
  }
}
