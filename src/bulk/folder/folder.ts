import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { describeKind } from "../../errors/value-kinds.ts";
import { describeSystemError, PathRefusal } from "../../files/system-errors.ts";
import { ConfigurationError, type PendingPdf, type Saved, SaveError } from "../../index.ts";
import { checkOptions, isText } from "../../options/option-rules.ts";
import type { Job } from "../job.ts";
import type { Sink, SinkRun } from "../sink.ts";
import { foldedPath, isWithin, objectionToPath, realPathOf, UsedPaths } from "./document-paths.ts";
import { parsePattern } from "./placeholders.ts";
import { makeWritableFolder, removeDrafts, syncFolder } from "./writable-folder.ts";

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
  /** Folders that exist, or are being created. */
  readonly #knownFolders = new Map<string, Promise<void>>();
  /** Folders that hold new names since the last `sync`. */
  #changedFolders = new Set<string>();
  /** Where `place` leads, links followed. */
  #realPlace: string | undefined;
  /** The files of the run itself: its journal, and those beside it. */
  #kept: readonly string[] = [];
  /** The start of the names of this run's drafts, after the dot. */
  #mark = "";
  /** The start of the names of drafts that an earlier run left, with the dot. */
  #staleMark: string | undefined;

  constructor(pathOf: string | ((job: J) => string), options: FolderOptions) {
    checkOptions(options, { root: isText }, "folder");
    const { root } = options;
    if (typeof pathOf !== "function" && typeof pathOf !== "string") {
      throw new ConfigurationError(
        `A folder needs to know the path of each document, and got ${describeKind(pathOf)}. Give it a text such as "out/{{invoice_no}}.pdf", or a function.`,
      );
    }
    if (typeof pathOf === "function") {
      this.place = resolve(root ?? "");
      this.#pathOf = pathOf;
      return;
    }
    // What stands before the first placeholder is the caller's own word: only what follows is looked at.
    const { fixed } = parsePattern(pathOf);
    const start = root === undefined ? Math.max(fixed.lastIndexOf("/"), fixed.lastIndexOf(sep)) + 1 : 0;
    const pattern = parsePattern(pathOf.slice(start));
    this.place = resolve(root ?? (pathOf.slice(0, start) || "."));
    this.#pathOf = ({ template, values }) =>
      pattern.fill(values, typeof template === "string" ? template : template.uid);
  }

  /** The path inside of the folder. */
  keyOf(job: J): string {
    const given: unknown = this.#pathOf(job);
    if (typeof given !== "string") {
      throw new ConfigurationError(`The path of a document has to be a text, and is ${describeKind(given)}.`);
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
    this.#staleMark = undefined;
    await this.#prepareFolder(this.place, "Nothing was sent.");
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

  /** Says why documents may not be saved to a path whose links were followed. */
  #objectionTo(real: string): string | undefined {
    this.#realPlace ??= realPathOf(this.place);
    if (!isWithin(real, this.#realPlace)) return `a link leads out of ${JSON.stringify(this.place)} there`;
    const folded = foldedPath(real, process.platform);
    return this.#kept.some((kept) => isWithin(folded, kept)) ? "the run keeps its journal there" : undefined;
  }

  /** A file's name is safe from a power cut when its folder is synced, which some systems do by themselves. */
  async sync(): Promise<void> {
    const changed = this.#changedFolders;
    this.#changedFolders = new Set();
    const syncOne = (path: string) =>
      syncFolder(path).catch((cause) => {
        throw folderError(path, "could not be synced", cause, "What was stored there last is not recorded.");
      });
    await Promise.all([...changed].map(syncOne));
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
    // It may be fixed before the next job.
    made.catch(() => this.#knownFolders.delete(path));
    return made;
  }

  /** @param consequence - the end of the error's message */
  async #prepareFolder(path: string, consequence?: string): Promise<void> {
    try {
      const objection = this.#objectionTo(realPathOf(path));
      if (objection !== undefined) throw new PathRefusal(objection);
      const firstMissing = await makeWritableFolder(path, this.#mark);
      if (firstMissing !== undefined) this.#noteNewNames(path, firstMissing);
      else if (this.#staleMark !== undefined) await removeDrafts(path, this.#staleMark, `.${this.#mark}`);
    } catch (cause) {
      throw folderError(path, "cannot be written to", cause, consequence);
    }
  }

  /** Every folder above a new one has a new name in it. */
  #noteNewNames(path: string, firstMissing: string): void {
    for (let at = path; at.length >= firstMissing.length; at = dirname(at)) {
      this.#changedFolders.add(dirname(at));
    }
  }
}

/** Creates the error for a folder: `The folder "<path>" <what>: <why>. <consequence>` */
function folderError(path: string, what: string, cause: unknown, consequence?: string): SaveError {
  const message = `The folder ${JSON.stringify(path)} ${what}: ${describeSystemError(cause)}.`;
  return new SaveError(consequence === undefined ? message : `${message} ${consequence}`, { path, cause });
}
