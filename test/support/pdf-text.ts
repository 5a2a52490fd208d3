import { Worker } from "node:worker_threads";

/** What a viewer would see of a PDF. */
export interface PdfContent {
  readonly pages: number;
  /** The text of all pages: runs joined by spaces, pages by line breaks. */
  readonly text: string;
}

interface Reply {
  readonly id: number;
  readonly result?: PdfContent;
  readonly problem?: string;
}

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (reply: Reply) => void>();

/**
 * Reads a PDF the way a viewer would.
 *
 * @param bytes - the whole document; left as it is
 * @throws when it is not a PDF that can be read.
 */
export async function readPdf(bytes: Uint8Array): Promise<PdfContent> {
  worker ??= startWorker();
  const id = ++lastId;
  const reply = await new Promise<Reply>((resolve) => {
    waiting.set(id, resolve);
    // A copy, in memory of its own: pdf.js takes what it is given.
    worker?.postMessage({ id, bytes: Uint8Array.from(bytes) });
  });
  if (reply.result === undefined) throw new Error(reply.problem);
  return reply.result;
}

function startWorker(): Worker {
  const started = new Worker(new URL("./pdf-text-worker.mjs", import.meta.url));
  started.unref();
  started.on("message", (reply: Reply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  return started;
}
