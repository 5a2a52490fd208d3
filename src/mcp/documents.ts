import { unlink } from "node:fs/promises";
import { folder } from "../bulk/folder/folder.ts";
import { countPages } from "../emulator/playground/count-pages.ts";
import { describeThrown } from "../errors/foreign-values.ts";
import { safeFilename } from "../files/filenames.ts";
import { moveToFreeName } from "../files/free-name.ts";
import { readSmallFile } from "../files/read-file.ts";
import type { CallOptions, Saved, TemplatePdf } from "../index.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import { renderFirstPage } from "./preview.ts";

/** The number of documents that are generated at the same time. */
const maxRunning = 4;

/** The number of calls that may wait for others. */
const maxWaiting = 32;

/** The maximum size of a document in bytes. */
export const maxDocumentBytes = 256 * 1024 * 1024;

/** The maximum size of a document whose pages are counted and shown, in bytes. */
const maxInspectedBytes = 16 * 1024 * 1024;

/** The maximum size of a document that a result contains, in bytes. */
export const maxEmbeddedBytes = 1024 * 1024;

/** How documents are generated and saved. */
export interface DocumentOptions {
  /** Returns the client. @throws {Error} if a setting is missing */
  readonly openClient: () => Promise<TemplatePdf>;
  /** The absolute path of the folder that contains all documents. It is created if it is missing. */
  readonly out: string;
  /** Whether a document replaces an earlier one of its template. */
  readonly isReplacing: boolean;
  /** Whether results show the first page. */
  readonly hasPreview: boolean;
  /** The maximum number of documents. */
  readonly limit: number;
  /** Returns what the emulator says about the response with this request id. */
  readonly remarkOn?: ((requestId: string | undefined) => string | undefined) | undefined;
}

/** A saved document. */
export interface SavedDocument extends Saved {
  readonly pages: number | undefined;
  /** The document, if it is small enough for a result. */
  readonly pdf?: Buffer;
  /** The first page as a PNG, if it is wanted. */
  readonly png?: Buffer;
  readonly warnings: readonly string[];
}

/** Who wants a document. */
export interface Caller {
  /** Aborted if the caller no longer wants the document. */
  readonly signal: AbortSignal;
  /** Receives what is happening. */
  report(text: string): void;
}

/** Generates and saves documents, a few at a time. */
export class Documents {
  readonly #options: DocumentOptions;
  readonly #unfinished = new Set<Promise<unknown>>();
  /** Wakes the calls that wait. */
  readonly #waiting = new Set<() => void>();
  #running = 0;
  #started = 0;

  constructor(options: DocumentOptions) {
    this.#options = options;
  }

  /**
   * Generates a document and saves it completely or not at all.
   *
   * @throws whatever the client throws
   * @throws {Error} if a limit is reached, a setting is missing, or there is no free name
   */
  generate(uid: string, values: object, caller: Caller): Promise<SavedDocument> {
    const document = this.#inTurn(uid, values, caller);
    this.#unfinished.add(document);
    const forget = () => this.#unfinished.delete(document);
    document.then(forget, forget);
    return document;
  }

  /** Waits until cancelled documents have left no files behind. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#unfinished);
  }

  async #inTurn(uid: string, values: object, caller: Caller): Promise<SavedDocument> {
    if (this.#unfinished.size >= maxRunning + maxWaiting) {
      throw new Error(
        `${this.#unfinished.size} documents are being generated. Try again when one is finished.`,
      );
    }
    while (this.#running === maxRunning) {
      const free = new Promise<void>((resolve) => this.#waiting.add(resolve));
      await untilAborted(free, caller.signal);
    }
    this.#running += 1;
    try {
      return await this.#inspect(await this.#save(uid, values, caller));
    } finally {
      this.#running -= 1;
      for (const wake of this.#waiting) wake();
      this.#waiting.clear();
    }
  }

  async #save(
    uid: string,
    values: object,
    { signal, report }: Caller,
  ): Promise<Saved & { warnings: string[] }> {
    const { openClient, out, isReplacing, limit, remarkOn } = this.#options;
    const opened = await openClient();
    if (this.#started === limit) {
      const advice = "Ask the user to restart it, or to start it with a higher --limit.";
      throw new Error(`This server generates at most ${limit} documents. ${advice}`);
    }
    this.#started += 1;
    const excess = new AbortController();
    let requestId: string | undefined;
    const client = opened.with({
      hooks: {
        response: (event) => {
          requestId = event.requestId;
        },
        retry: () => report("the request failed and will be retried"),
      },
    });
    const onProgress: CallOptions["onProgress"] = ({ receivedBytes, totalBytes }) => {
      report(`received ${receivedBytes}${totalBytes === undefined ? "" : ` of ${totalBytes}`} bytes`);
      if (receivedBytes <= maxDocumentBytes) return;
      excess.abort(new Error(`The document is larger than ${maxDocumentBytes} bytes, so it was not saved.`));
    };
    report("waiting for the service");
    const stem = safeFilename(uid.replace(/\.pdf$/i, "")) ?? "document";
    // The document gets its name when it is complete: another server may use the same folder.
    const name = isReplacing ? stem : `.${crypto.randomUUID()}`;
    const sink = folder(() => `${name}.pdf`, { root: out });
    await sink.open?.();
    let saved: Saved;
    try {
      const wanted = AbortSignal.any([signal, excess.signal]);
      const pdf = client.generate(uid, values, { signal: wanted, onProgress });
      saved = (await sink.put("", pdf, { job: undefined, index: 0, attempt: 1, signal })) as Saved;
    } catch (error) {
      const reason = remarkOn?.(requestId);
      throw reason === undefined ? error : new Error(reason, { cause: error });
    }
    const warning = remarkOn?.(requestId);
    const path = isReplacing ? saved.path : await moveDraft(saved.path, stem, signal);
    return { path, bytes: saved.bytes, warnings: warning === undefined ? [] : [warning] };
  }

  async #inspect(saved: Saved & { readonly warnings: readonly string[] }): Promise<SavedDocument> {
    if (saved.bytes > maxInspectedBytes) return { ...saved, pages: undefined };
    const pdf = await readSmallFile(saved.path, maxInspectedBytes);
    const document = { ...saved, pages: pagesIn(pdf), ...(saved.bytes <= maxEmbeddedBytes && { pdf }) };
    if (!this.#options.hasPreview) return document;
    try {
      return { ...document, ...(await renderFirstPage(pdf)) };
    } catch (error) {
      return { ...document, warnings: [...saved.warnings, describeThrown(error)] };
    }
  }
}

async function moveDraft(draft: string, stem: string, signal: AbortSignal): Promise<string> {
  try {
    signal.throwIfAborted();
    return await moveToFreeName(draft, stem, ".pdf");
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
}

/** Counts the pages of a PDF whose objects are not compressed. */
function pagesIn(pdf: Buffer): number | undefined {
  const text = pdf.toString("latin1");
  return (!text.includes("/ObjStm") && countPages(text)) || undefined;
}
