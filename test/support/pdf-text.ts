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
export function readPdf(bytes: Uint8Array): Promise<PdfContent> {
  return ask({ bytes });
}

/** A line as it looks, from left to right. */
export interface VisualLine {
  readonly text: string;
  /** The positions of its left and right ends, in points. */
  readonly start: number;
  readonly end: number;
}

/** Reads the first page as it looks, whatever the direction of reading. */
export function readVisualLines(bytes: Uint8Array): Promise<readonly VisualLine[]> {
  return ask({ bytes, wantsLines: true });
}

/** A picture of a document. */
export interface PdfPicture {
  readonly png: Uint8Array;
  /** The texts of the page with their positions, which do not depend on the machine, unlike the picture. */
  readonly texts: string;
}

/** Draws the upper part of the first page of a PDF, of a size in pixels. */
export function drawPdf(bytes: Uint8Array, size: { width: number; height: number }): Promise<PdfPicture> {
  return ask({ bytes, size });
}

interface Order {
  readonly bytes: Uint8Array;
  readonly wantsLines?: boolean;
  readonly size?: object;
}

async function ask<Result>(order: Order): Promise<Result> {
  if (!worker) {
    worker = new Worker(new URL("./pdf-text-worker.mjs", import.meta.url));
    worker.unref();
  }
  const { port1, port2 } = new MessageChannel();
  // Sends a copy, because pdf.js takes over the memory of its input.
  worker.postMessage({ ...order, port: port2, bytes: Uint8Array.from(order.bytes) }, [port2]);
  const [{ result, problem }] = (await once(port1, "message")) as [{ result?: Result; problem?: string }];
  // Waits until the port is closed, because tests that count ports must not see it disappear later.
  const closed = once(port1, "close");
  port1.close();
  await closed;
  if (result === undefined) throw new Error(problem);
  return result;
}
