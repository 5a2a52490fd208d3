import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { GeneratedPdf, PendingPdf, TemplatePdf } from "template-pdf";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Chunks = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** Returns a stream as an async iterable, which the DOM's types do not declare for web streams. */
export function iterable(chunks: Chunks): AsyncIterable<Uint8Array> {
  return chunks as AsyncIterable<Uint8Array>;
}

type Read = (from: PendingPdf | GeneratedPdf) => Promise<Uint8Array>;

const nodeMethods = ["buffer()", "nodeStream()", "saveTo()"];

/** Whether an output method exists in this test project: the browser bundle does not have those of Node. */
function isAvailable([method]: readonly [method: string, ...rest: unknown[]]): boolean {
  return process.env["TEMPLATE_PDF_BUILD"] !== "browser" || !nodeMethods.includes(method);
}

const allOutputMethods: readonly (readonly [method: string, read: Read])[] = [
  ["bytes()", (from) => from.bytes()],
  ["buffer()", (from) => from.buffer()],
  ["arrayBuffer()", async (from) => new Uint8Array(await from.arrayBuffer())],
  ["blob()", async (from) => new Uint8Array(await (await from.blob()).arrayBuffer())],
  ["stream()", async (from) => gather(await from.stream())],
  ["nodeStream()", async (from) => gather(await from.nodeStream())],
  ["response()", async (from) => new Uint8Array(await (await from.response()).arrayBuffer())],
  [
    "saveTo()",
    async (from) => {
      // There is no `await` before this call, because it must be in the same tick as `generate()`.
      const path = join(temporaryFolder(), "saved.pdf");
      await from.saveTo(path);
      return readFile(path);
    },
  ],
  ["iteration", (from) => gather(from)],
];

/** Every output method, read to its end. */
export const outputMethods = allOutputMethods.filter(isAvailable);

type Open = (pending: PendingPdf) => Promise<AsyncIterable<Uint8Array>>;
const allStreams: readonly (readonly [output: string, open: Open])[] = [
  ["stream()", async (pending) => iterable(await pending.stream())],
  ["nodeStream()", async (pending) => pending.nodeStream()],
  ["response()", async (pending) => (await pending.response()).body as unknown as AsyncIterable<Uint8Array>],
];

/** The output methods that return streams, which are not read yet. */
export const streamOutputs = allStreams.filter(isAvailable);

/** The objects that have output methods. */
export const stages = ["the pending result", "the awaited document"] as const;

/** Reads an output of the pending result or of the awaited document. */
export async function readAt(
  stage: (typeof stages)[number],
  pending: PendingPdf,
  read: Read,
): Promise<Uint8Array> {
  return stage === "the pending result" ? read(pending) : read(await pending);
}

/** Collects all chunks. */
export async function gather(chunks: Chunks): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of iterable(chunks)) all.push(chunk);
  return Buffer.concat(all);
}

/** Generates a document with any template and values. */
export function generate(client: TemplatePdf, options?: Parameters<TemplatePdf["generate"]>[2]): PendingPdf {
  return client.generate("inv_2024", { total: "1,000" }, options);
}
