import { ConfigurationError, type PendingPdf } from "../index.ts";
import { ownOption, ownOptions } from "../runtime/own-options.ts";
import type { UseContext } from "./job.ts";

/** What `put` receives in addition to the document. */
export interface PutContext<J> extends UseContext {
  /** The job that the document was generated for. */
  readonly job: J;
}

/** The run that `begin` receives. */
export interface SinkRun {
  /** The id of the journal. Two runs that are open at the same time never have the same id. */
  readonly id: string;
  /**
   * The id of the previous journal; `undefined` if there was no previous journal. If the run continues a
   * journal, this id is equal to `id`.
   */
  readonly before: string | undefined;
  /**
   * The absolute path of the journal, with links resolved. Its lock (`.lock`) and the previous journal (`.old`) are next to it.
   */
  readonly journal: string;
}

/**
 * Stores the documents of a run. Only `put` is required.
 *
 * @example
 * ```ts
 * import { Upload } from "@aws-sdk/lib-storage";
 *
 * const sink: Sink = {
 *   async put(key, pdf) {
 *     const params = { Bucket: "payslips", Key: `${key}.pdf`, Body: await pdf.nodeStream(), ContentType: "application/pdf" };
 *     await new Upload({ client: s3, params }).done(); // fails with the document, and removes its parts
 *   },
 * };
 * ```
 */
export interface Sink<J = unknown> {
  /**
   * Stores a document under its key, replacing an earlier one. `put` must read the whole document, and
   * resolve only when the document is stored. `put` is called for every attempt, so it must remove or replace
   * what a failed attempt left behind.
   */
  put(key: string, pdf: PendingPdf, context: PutContext<J>): Promise<unknown>;
  /**
   * Identifies the place where documents are stored, for example `s3://payslips`. The run rejects a journal
   * that belongs to another place.
   */
  readonly place?: string | undefined;
  /**
   * Returns a job's key in runs without a `key` option. If the method throws, the job is rejected and no
   * request is sent for it.
   */
  keyOf?(job: J): string;
  /** Called once before the first job. If the method throws, the run ends before any request is sent. */
  open?(): Promise<void>;
  /**
   * Called once after `open`, when the journal is open.
   *
   * @param run - the path and id of the journal, and the id of the previous journal. You may remove
   * incomplete documents that a run with the previous id left behind
   */
  begin?(run: SinkRun): void;
  /**
   * Called for every job before its request, including jobs that earlier runs finished. If the method throws,
   * the job is rejected and no request is sent for it.
   */
  claim?(key: string, job: J, index: number): void;
  /** Makes stored documents durable. Called before the journal records them. */
  sync?(): Promise<void>;
}

const methods = ["put", "keyOf", "open", "begin", "claim", "sync"] as const;

/**
 * Copies a sink: its methods, called on the caller's object, and its `place`, which is read late because `open` may set it.
 *
 * @throws {ConfigurationError} if it has no `put`
 */
export function readSink<J>(given: Sink<J> | undefined): Sink<J> {
  const sink = given && ownOptions(given, methods);
  if (given === undefined || typeof sink?.put !== "function") {
    throw new ConfigurationError(
      '`sink` is required: pass folder("out/{{name}}.pdf"), or an object with `put`.',
    );
  }
  for (const [name, method] of Object.entries(sink)) {
    if (typeof method === "function") Object.assign(sink, { [name]: method.bind(given) });
  }
  return Object.defineProperty(sink, "place", { get: () => ownOption(given, "place") });
}
