import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { foldedPath, realPathOf } from "../../bulk/folder/document-paths.ts";
import { Misuse } from "../failure.ts";
import type { BulkPlan } from "./plan.ts";

/** How many folders are known by their real paths; more are looked for again. */
const maxKnownFolders = 10_000;

/** The files of a run: each must be a different file, and no document may replace one. */
export class RunFiles {
  /** What each file is, by its real path. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();
  readonly #platform: string;

  /** @throws {Misuse} when two of them are one file */
  constructor({ file, journal, report }: BulkPlan, schema: string | undefined, platform: string) {
    this.#platform = platform;
    if (file !== "-") this.#add(file, "the data", "the data");
    if (schema !== undefined) this.#add(schema, "the schema", "--schema");
    this.#add(journal, "the journal", "--journal");
    this.#add(`${journal}.old`, "the journal of before", "--journal");
    this.#add(`${journal}.lock`, "the lock of the journal", "--journal");
    if (report !== undefined) this.#add(report.path, "the report", "--report");
  }

  /** Says which of these files a path leads to. */
  whatAt(path: string): string | undefined {
    return this.#files.get(this.#realPathOf(path));
  }

  /** @param option - what names the file on the command line */
  #add(path: string, what: string, option: string): void {
    const other = this.whatAt(path);
    if (other !== undefined) {
      throw new Misuse(
        `T${what.slice(1)} and ${other} are the same file, ${path}. Give ${option} another name.`,
      );
    }
    this.#files.set(this.#realPathOf(path), what);
  }

  /** Follows the links of a folder once, because there may be a million documents in it. */
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
