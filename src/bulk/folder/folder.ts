import { type FileHandle, open } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { describeSystemError } from "../../files/system-errors.ts";
import { ConfigurationError, type PendingPdf, type Saved, SaveError } from "../../index.ts";
import { checkOptions, describeType, isText } from "../../options/option-rules.ts";
import type { Job } from "../job.ts";
import type { Sink, SinkRun } from "../sink.ts";
import { foldedPath } from "./folded-path.ts";
import { objectionToPath } from "./inner-path.ts";
import { isWithin } from "./is-within.ts";
import { makeFolder } from "./make-folder.ts";
import { parsePattern } from "./placeholders.ts";
import { probeFolder } from "./probe-folder.ts";
import { realPathOf } from "./real-path-of.ts";
import { removeDrafts } from "./remove-drafts.ts";
import { UsedPaths } from "./used-paths.ts";

/** The options of `folder`. */
export interface FolderOptions {
  /**
   * The folder that all documents are to be inside of. Default: of a text, the folder before its first placeholder (`out` of
   * `out/{{invoice_no}}.pdf`); of a function, the working directory.
   */
  root?: string | undefined;
}

/** A sink that writes files. */
export interface FolderSink<J> extends Sink<J> {
  keyOf(job: J): string;
  /** The folder that all documents are inside of: an absolute path. */
  readonly place: string;
}

/** How many folders are known to be there; more are looked for again. */
const maxKnownFolders = 10_000;

/**
 * A sink that writes every document to a file: the whole file or none, under its name only when it is whole.
 *
 * Folders are made where they are missing. A path that leads out of the folder, as a value such as `../x` would have it, is refused,
 * and so is a path that an earlier job of the run has, or that of the run's journal; all before anything is sent.
 *
 * A path is made of values. An error tells it where a file, a folder or a link on the disk is in the way, because whoever mends that
 * has to know which; it does not tell a path that was refused for what it says, whose job the result names.
 *
 * @param pathOf - where the document of a job goes: a text with members of its values, such as `out/{{invoice_no}}.pdf`, or a function.
 * A relative path is inside of `root`
 * @param options - see `FolderOptions`
 * @throws {ConfigurationError} when the text has no placeholder, or an option is unknown or wrong
 *
 * @example
 * ```ts
 * const sink = folder("out/{{invoice_no}}.pdf");
 * const other = folder((job) => `${job.values.year}/${job.values.invoice_no}.pdf`, { root: "/srv/invoices" });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: what paths are made of is told nowhere, where a function says nothing of its job.
export function folder<J extends Job = any>(
  pathOf: string | ((job: J) => string),
  options: FolderOptions = {},
): FolderSink<J> {
  return new Folder(pathOf, options);
}

class Folder<J extends Job> implements FolderSink<J> {
  readonly place: string;
  readonly #pathOf: (job: J) => string;
  #used = new UsedPaths(process.platform);
  /** Folders that are there, or on the way to be. */
  readonly #knownFolders = new Map<string, Promise<void>>();
  /** Folders that hold new names since the last `sync`. */
  #changedFolders = new Set<string>();
  /** Where `place` leads, links followed. */
  #realPlace: Promise<string> | undefined;
  /** What the run keeps for itself: its journal, and what lies beside that. */
  #kept: readonly string[] = [];
  /** What the names of this run's drafts begin with. */
  #mark = "";
  /** What the names of those begin with that an earlier run has left. */
  #staleMark: string | undefined;

  constructor(pathOf: string | ((job: J) => string), options: FolderOptions) {
    checkOptions(options, { root: isText }, "folder");
    const { root } = options;
    if (typeof pathOf !== "function" && typeof pathOf !== "string") {
      throw new ConfigurationError(
        `A folder needs to know the path of each document, and got ${describeType(pathOf)}. Give it a text such as "out/{{invoice_no}}.pdf", or a function.`,
      );
    }
    if (typeof pathOf === "function") {
      this.place = resolve(root ?? "");
      this.#pathOf = pathOf;
      return;
    }
    // What stands before the first placeholder is the caller's own word: only what follows is looked at.
    const lastSeparator = root === undefined ? endOfFolder(parsePattern(pathOf).fixed) : 0;
    const pattern = parsePattern(pathOf.slice(lastSeparator));
    this.place = resolve(root ?? (pathOf.slice(0, lastSeparator) || "."));
    this.#pathOf = ({ template, values }) =>
      pattern.fill(values, typeof template === "string" ? template : template.uid);
  }

  /** The path inside of the folder. */
  keyOf(job: J): string {
    const given: unknown = this.#pathOf(job);
    if (typeof given !== "string") {
      throw new ConfigurationError(`The path of a document has to be a text, and is ${describeType(given)}.`);
    }
    const path = isAbsolute(given) ? relative(this.place, given) : given;
    const objection = objectionToPath(path, process.platform);
    // Without the path: it is made of values.
    if (objection !== undefined) throw this.#refusal(`is none that it takes: ${objection}`);
    return path;
  }

  async open(): Promise<void> {
    // Another run may have had this sink before.
    this.#used = new UsedPaths(process.platform);
    this.#knownFolders.clear();
    this.#realPlace = undefined;
    this.#kept = [];
    try {
      await makeFolder(this.place);
      await probeFolder(this.place, "");
    } catch (cause) {
      throw folderError(
        this.place,
        `cannot be written to: ${describeSystemError(cause)}. Nothing was sent`,
        cause,
      );
    }
  }

  begin({ id, before, journal }: SinkRun): void {
    // With a part of its own: those of the run before can be told from this one's, which goes on with its journal.
    this.#mark = `${id}-${crypto.randomUUID().slice(0, 8)}-`;
    this.#staleMark = before === undefined ? undefined : `.${before}-`;
    this.#kept = ["", ".lock", ".old"].map((ending) => foldedPath(journal + ending, process.platform));
  }

  claim(_key: string, job: J, index: number): void {
    const path = this.keyOf(job);
    const other = this.#used.claim(path, index);
    if (other === undefined) return;
    throw this.#refusal(`is that of job ${other}, too, which job ${index} would overwrite`);
  }

  async put(_key: string, pdf: PendingPdf, { job }: { readonly job: J }): Promise<Saved> {
    const path = join(this.place, this.keyOf(job));
    // At once: what the folder is not fit for is then not even asked for.
    const saved = await pdf.saveTo(path, {
      mark: this.#mark,
      prepare: () => this.#makeFolder(dirname(path)),
      objectionTo: (real) => this.#objectionTo(real),
    });
    this.#changedFolders.add(dirname(path));
    return saved;
  }

  /** Says what keeps documents from a path whose links were followed. */
  async #objectionTo(real: string): Promise<string | undefined> {
    this.#realPlace ??= realPathOf(this.place);
    if (!isWithin(real, await this.#realPlace)) {
      return `a link leads out of ${JSON.stringify(this.place)} there`;
    }
    const folded = foldedPath(real, process.platform);
    return this.#kept.some((kept) => isWithin(folded, kept)) ? "the run keeps its journal there" : undefined;
  }

  /** A file's name is safe from a power cut when its folder is synced, which some systems do by themselves. */
  async sync(): Promise<void> {
    const changed = this.#changedFolders;
    this.#changedFolders = new Set();
    await Promise.all([...changed].map(syncFolder));
  }

  /** Every folder above one that was made has a new name in it, up to that of the first that was missing. */
  #noteMade(path: string, first: string): void {
    for (let at = path; at.length >= first.length; at = dirname(at)) this.#changedFolders.add(dirname(at));
  }

  #refusal(why: string): SaveError {
    return new SaveError(
      `The document cannot be saved in ${JSON.stringify(this.place)}: its path ${why}. Nothing was sent for it.`,
      { path: this.place },
    );
  }

  #makeFolder(path: string): Promise<void> {
    const known = this.#knownFolders.get(path);
    if (known) return known;
    if (this.#knownFolders.size === maxKnownFolders) this.#knownFolders.clear();
    const made = this.#prepareFolder(path);
    this.#knownFolders.set(path, made);
    // The next job may find it mended.
    made.catch(() => this.#knownFolders.delete(path));
    return made;
  }

  async #prepareFolder(path: string): Promise<void> {
    const objection = await this.#objectionTo(await realPathOf(path));
    if (objection !== undefined) throw folderError(path, `cannot be written to: ${objection}`);
    const first = await makeFolder(path).catch((cause) => {
      throw folderError(path, `could not be made: ${describeSystemError(cause)}`, cause);
    });
    if (first !== undefined) this.#noteMade(path, first);
    await probeFolder(path, this.#mark).catch((cause) => {
      throw folderError(path, `cannot be written to: ${describeSystemError(cause)}`, cause);
    });
    const stale = first === undefined ? this.#staleMark : undefined;
    if (stale !== undefined) await removeDrafts(path, stale, this.#mark);
  }
}

/** Makes the error for what is wrong with a folder: `The folder "<path>" <what>.` */
function folderError(path: string, what: string, cause?: unknown): SaveError {
  const facts = cause === undefined ? { path } : { path, cause };
  return new SaveError(`The folder ${JSON.stringify(path)} ${what}.`, facts);
}

/** Where the last folder of a path ends: behind its separator. */
function endOfFolder(path: string): number {
  const lastBackslash = process.platform === "win32" ? path.lastIndexOf("\\") : -1;
  return Math.max(path.lastIndexOf("/"), lastBackslash) + 1;
}

async function syncFolder(path: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    await handle.sync();
  } catch (error) {
    // Not every system opens folders, or syncs them.
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(code)) return;
    const why = `${describeSystemError(error)}. What was stored there last is not recorded`;
    throw folderError(path, `could not be synced: ${why}`, error);
  } finally {
    await handle?.close();
  }
}
