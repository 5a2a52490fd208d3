import { once } from "node:events";
import { MessageChannel, Worker } from "node:worker_threads";

/** What a reader sees in a PDF. */
export interface PdfContent {
  readonly pages: number;
  /** The text of all pages. Runs are joined with spaces, pages with line breaks. */
  readonly text: string;
}

let worker: Worker | undefined;

/**
 * Reads a PDF the way a viewer would.
 *
 * @param bytes - the complete document, which is not changed
 * @throws when it is not a PDF that can be read.
 */
export async function readPdf(bytes: Uint8Array): Promise<PdfContent> {
  if (!worker) {
    worker = new Worker(new URL("./pdf-text-worker.mjs", import.meta.url));
    worker.unref();
  }
  const { port1, port2 } = new MessageChannel();
  // Sends a copy, because pdf.js takes over the memory of its input.
  worker.postMessage({ port: port2, bytes: Uint8Array.from(bytes) }, [port2]);
  const [{ result, problem }] = (await once(port1, "message")) as [{ result?: PdfContent; problem?: string }];
  // Waits until the port is closed, because tests that count ports must not see it disappear later.
  const closed = once(port1, "close");
  port1.close();
  await closed;
  if (result === undefined) throw new Error(problem);
  return result;
}
