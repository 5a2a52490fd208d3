import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { describeKind } from "../../errors/value-kinds.ts";
import { AtomicFile } from "../../files/atomic-file.ts";
import type { FileTarget } from "../../files/follow-links.ts";
import { describeSystemError, PathRefusal } from "../../files/system-errors.ts";
import { ConfigurationError, type PendingPdf, type Saved, SaveError } from "../../index.ts";
import { checkOptions, isText } from "../../options/option-rules.ts";
import type { Job } from "../job.ts";
import type { Sink, SinkRun } from "../sink.ts";
import { foldedPath, isWithin, objectionToPath, UsedPaths } from "./document-paths.ts";
import { OpenFolder } from "./open-folder.ts";
import { parsePattern } from "./placeholders.ts";
import { openOrCreateFolder, removeDrafts, syncFolder } from "./writable-folder.ts";

/** Options for `folder`. */
export interface FolderOptions {
  /**
   * The folder that contains all documents. Default: the folder before the first placeholder of `pathOf` (`out` in
   * `out/{{invoice_no}}.pdf`), or the working directory if `pathOf` is a function.
   */
  root?: string | undefined;
}

/** A sink that writes files. */
export interface FolderSink<J> extends Sink<J> {
  keyOf(job: J): string;
  /** The absolute path of the folder that contains all documents. */
  readonly place: string;
}

/** The maximum number of folders whose existence is cached. */
const maxKnownFolders = 10_000;

/**
 * Creates a sink that writes every document to a file, completely or not at all.
 *
 * The sink creates missing folders. It rejects a path before the request is sent if the path is outside the
 * folder (for example because of the value `../x`), if an earlier job in the run uses the path, or if it is
 * the path of the journal.
 *
 * Paths contain values, so most errors do not show a path. An error shows the path only if a file, a folder
 * or a link on disk causes the failure.
 *
 * @param pathOf - the path of each document: a string with placeholders for values, such as `out/{{invoice_no}}.pdf`, or a
 * function. A relative path is relative to `root`
 * @param options - see `FolderOptions`
 * @throws {ConfigurationError} if the string has no placeholder, or an option is unknown or invalid
 *
 * @example
 * ```ts
 * const sink = folder("out/{{invoice_no}}.pdf");
 * const other = folder((job) => `${job.values.year}/${job.values.invoice_no}.pdf`, { root: "/srv/invoices" });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: the job types are unknown here.
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
  /** The mode of new files in folders that exist, or are being created. */
  readonly #knownFolders = new Map<string, Promise<number>>();
  /** Folders with new entries since the last `sync`. */
  #changedFolders = new Set<string>();
  /** The path `place` with its links resolved, at the start of the run. */
  #realPlace: string | undefined;
  /** The files of the run: its journal, the lock and the old journal. */
  #kept: readonly string[] = [];
  /** The prefix of this run's draft names, after the dot. */
  #mark = "";
  /** The prefix of the draft names that an earlier run left behind, including the dot. */
  #staleMark: string | undefined;

  constructor(pathOf: string | ((job: J) => string), options: FolderOptions) {
    const { root } = checkOptions(options, { root: isText }, "folder");
    if (typeof pathOf !== "function" && typeof pathOf !== "string") {
      throw new ConfigurationError(
        `Expected the path of each document, got ${describeKind(pathOf)}. Pass a string such as "out/{{invoice_no}}.pdf", or a function.`,
      );
    }
    if (typeof pathOf === "function") {
      this.place = resolve(root ?? "");
      this.#pathOf = pathOf;
      return;
    }
    // The part before the first placeholder comes from the caller, so only the rest is checked.
    const { fixed } = parsePattern(pathOf);
    const start = root === undefined ? Math.max(fixed.lastIndexOf("/"), fixed.lastIndexOf(sep)) + 1 : 0;
    const pattern = parsePattern(pathOf.slice(start));
    this.place = resolve(root ?? (pathOf.slice(0, start) || "."));
    this.#pathOf = ({ template, values }) =>
      pattern.fill(values, typeof template === "string" ? template : template.uid);
  }

  /** Returns the path inside the folder. */
  keyOf(job: J): string {
    const given: unknown = this.#pathOf(job);
    if (typeof given !== "string") {
      throw new ConfigurationError(
        `Expected the path of a document to be a string, got ${describeKind(given)}.`,
      );
    }
    const path = isAbsolute(given) ? relative(this.place, given) : given;
    const objection = objectionToPath(path, process.platform);
    // The message omits the path, because it contains values.
    if (objection !== undefined) throw this.#refusal(`is not allowed: ${objection}`);
    return path;
  }

  async open(): Promise<void> {
    // Another run may have used the sink before.
    this.#used = new UsedPaths(process.platform);
    this.#knownFolders.clear();
    this.#realPlace = undefined;
    this.#kept = [];
    this.#staleMark = undefined;
    await this.#prepareFolder(this.place, "No request was sent.");
  }

  begin({ id, before, journal }: SinkRun): void {
    // A random part distinguishes these drafts from those of an earlier run with the same journal.
    this.#mark = `${id}-${crypto.randomUUID().slice(0, 8)}-`;
    this.#staleMark = before === undefined ? undefined : `.${before}-`;
    this.#kept = ["", ".lock", ".old"].map((ending) => foldedPath(journal + ending, process.platform));
  }

  claim(_key: string, job: J, index: number): void {
    const path = this.keyOf(job);
    const other = this.#used.claim(path, index);
    if (other === undefined) return;
    throw this.#refusal(`is also the path of job ${other}; job ${index} would overwrite that document`);
  }

  async put(_key: string, pdf: PendingPdf, { job }: { readonly job: J }): Promise<Saved> {
    const path = join(this.place, this.keyOf(job));
    // Checked immediately, so that no request is sent for documents that cannot be saved.
    const saved = await pdf.saveTo(path, {
      mark: this.#mark,
      prepare: () => this.#makeFolder(dirname(path)),
      check: (target) => this.#checkTarget(target),
      openFolder: (target) => this.#openTargetFolder(target),
    });
    this.#changedFolders.add(dirname(path));
    return saved;
  }

  /**
   * Returns the reason a document must not be saved to this path, or `undefined` if it is allowed. The links in the path are
   * already resolved.
   */
  #objectionTo(real: string): string | undefined {
    // The first folder of a run is `place` itself: see `#prepareFolder`.
    this.#realPlace ??= real;
    if (!isWithin(real, this.#realPlace)) return `a link in it points outside ${JSON.stringify(this.place)}`;
    const folded = foldedPath(real, process.platform);
    return this.#kept.some((kept) => isWithin(folded, kept))
      ? "it is the path of the run's journal"
      : undefined;
  }

  /** Throws if documents must not be saved in a folder. */
  readonly #check = (real: string): void => {
    const objection = this.#objectionTo(real);
    if (objection !== undefined) throw new PathRefusal(objection);
  };

  #checkTarget({ path, isDirect }: FileTarget): void {
    this.#check(path);
    // Neither can be replaced completely or not at all.
    if (isDirect) throw new PathRefusal("it is a device or a pipe, not a file");
  }

  /** Opens the folder of a document. Another process may have moved it, or have put a link in the place of one in its path. */
  #openTargetFolder({ path, folder }: FileTarget): Promise<OpenFolder> {
    const name = basename(path);
    let opened: string | undefined;
    return OpenFolder.open(folder, (real) => {
      opened ??= real;
      const isMoved = real !== opened;
      const objection = this.#objectionTo(join(real, name)) ?? (isMoved ? "its folder was moved" : undefined);
      if (objection === undefined) return;
      throw new PathRefusal(
        `${objection}. Another process replaced a folder in the path during the run: check who can write to these folders`,
      );
    });
  }

  /** A file name survives a power cut once its folder is synced. Some systems do that automatically. */
  async sync(): Promise<void> {
    const changed = this.#changedFolders;
    this.#changedFolders = new Set();
    const syncOne = (path: string) =>
      this.#syncFolder(path).catch((cause) => {
        throw folderError(
          path,
          "could not be synced",
          cause,
          "The last documents in this folder are not recorded.",
        );
      });
    await Promise.all([...changed].map(syncOne));
  }

  async #syncFolder(path: string): Promise<void> {
    // The parents of `place` have new entries, too.
    if (!isWithin(path, this.place)) return syncFolder(path);
    const folder = await OpenFolder.open(path, this.#check);
    try {
      await syncFolder(folder.path);
    } finally {
      folder.close();
    }
  }

  #refusal(why: string): SaveError {
    return new SaveError(
      `The document cannot be saved in ${JSON.stringify(this.place)}: its path ${why}. No request was sent for this document.`,
      { path: this.place },
    );
  }

  #makeFolder(path: string): Promise<number> {
    const known = this.#knownFolders.get(path);
    if (known) return known;
    if (this.#knownFolders.size === maxKnownFolders) this.#knownFolders.clear();
    const made = this.#prepareFolder(path);
    this.#knownFolders.set(path, made);
    // The problem may be fixed before the next job.
    made.catch(() => this.#knownFolders.delete(path));
    return made;
  }

  /**
   * Creates a folder, and checks that it is writable.
   *
   * @param consequence - the end of the error's message
   * @returns the mode of new files
   */
  async #prepareFolder(path: string, consequence?: string): Promise<number> {
    // A sink that wraps this one may not call `open`.
    if (this.#realPlace === undefined && path !== this.place) await this.#makeFolder(this.place);
    let isNew = false;
    const onNew = (created: string) => {
      isNew ||= created === path;
      // Its parent has a new entry.
      this.#changedFolders.add(dirname(created));
    };
    try {
      const folder = await openOrCreateFolder(path, { place: this.place, check: this.#check, onNew });
      try {
        const newMode = await AtomicFile.probe(folder.path, this.#mark);
        if (!isNew && this.#staleMark !== undefined) {
          await removeDrafts(folder.path, this.#staleMark, `.${this.#mark}`);
        }
        return newMode;
      } finally {
        folder.close();
      }
    } catch (cause) {
      throw folderError(path, "is not writable", cause, consequence);
    }
  }
}

function folderError(path: string, what: string, cause: unknown, consequence?: string): SaveError {
  const message = `The folder ${JSON.stringify(path)} ${what}: ${describeSystemError(cause)}.`;
  return new SaveError(consequence === undefined ? message : `${message} ${consequence}`, { path, cause });
}
