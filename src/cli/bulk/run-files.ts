import { type BigIntStats, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { foldedPath } from "../../bulk/folder/folded-path.ts";
import { Misuse } from "../failure.ts";
import { maxLinks } from "../output-path.ts";
import type { BulkPlan } from "./plan.ts";

/** How many folders are known by their real names; more are looked for again. */
const maxKnownFolders = 10_000;

/** A file of the run, and what it is. */
interface RunFile {
  readonly path: string;
  readonly what: string;
  /** What it is named by on the command line. */
  readonly option: string;
}

/** The files of a run, each of which has to be another one, and of which no document may take the place. */
export class RunFiles {
  readonly #byName = new Map<string, RunFile>();
  readonly #byNode = new Map<string, RunFile>();
  readonly #folders = new Map<string, string>();
  readonly #platform: string;

  /**
   * @param schema - its path
   * @param platform - as `process.platform` tells it: on some, `a` and `A` are one file
   * @throws {Misuse} when two of them are one file
   */
  constructor(plan: BulkPlan, schema: string | undefined, platform: string) {
    this.#platform = platform;
    for (const file of filesOf(plan, schema)) this.#add(file);
  }

  /** Tells which of these files a path leads to. */
  whatAt(path: string): string | undefined {
    return this.#fileAt(path)?.what;
  }

  #add(file: RunFile): void {
    const { path, what, option } = file;
    const other = this.whatAt(path);
    if (other !== undefined) {
      throw new Misuse(
        `T${what.slice(1)} and ${other} are the same file, ${path}. Give ${option} another name.`,
      );
    }
    this.#byName.set(foldedPath(realNameOf(path), this.#platform), file);
    const node = nodeOf(statsOf(realNameOf(path)));
    if (node !== undefined) this.#byNode.set(node, file);
  }

  /** By its real name, and where it is there, by the node: a link and another spelling lead to the same. */
  #fileAt(path: string): RunFile | undefined {
    const absolute = resolve(path);
    const stats = statsOf(absolute);
    const isLink = stats?.isSymbolicLink() ?? false;
    // Of a link that leads nowhere, too, the file is the one that it would make.
    const name = isLink ? realNameOf(absolute) : join(this.#folderOf(dirname(absolute)), basename(absolute));
    const node = nodeOf(isLink ? statsOf(name) : stats);
    const found = node === undefined ? undefined : this.#byNode.get(node);
    return found ?? this.#byName.get(foldedPath(name, this.#platform));
  }

  #folderOf(path: string): string {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    if (this.#folders.size === maxKnownFolders) this.#folders.clear();
    const real = realNameOf(path);
    this.#folders.set(path, real);
    return real;
  }
}

function filesOf({ file, journal, report }: BulkPlan, schema: string | undefined): RunFile[] {
  const files: (readonly [path: string | undefined, what: string, option: string])[] = [
    [file === "-" ? undefined : file, "the data", "the data"],
    [schema, "the schema", "--schema"],
    [journal, "the journal", "--journal"],
    [`${journal}.old`, "the journal of before", "--journal"],
    [`${journal}.lock`, "the lock of the journal", "--journal"],
    [report?.path, "the report", "--report"],
  ];
  return files.flatMap(([path, what, option]) => (path === undefined ? [] : [{ path, what, option }]));
}

/** The real name of a path: that of its folder, where there is no such file yet; of a link that leads nowhere, what it would make. */
function realNameOf(path: string, linksLeft = maxLinks): string {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch {
    // It is not there, or a part of it is.
  }
  if (linksLeft > 0 && statsOf(absolute)?.isSymbolicLink()) {
    return realNameOf(resolve(realNameOf(dirname(absolute)), readlinkSync(absolute)), linksLeft - 1);
  }
  const folder = dirname(absolute);
  return folder === absolute ? absolute : join(realNameOf(folder, linksLeft), basename(absolute));
}

/** What stands at a path, links not followed; nothing where that cannot be told. */
function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** What tells a file that is there from all others. */
function nodeOf(stats: BigIntStats | undefined): string | undefined {
  return stats && `${stats.dev}:${stats.ino}`;
}
