import { mkdtempSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GeneratedPdf, PendingPdf, TemplatePdf } from "template-pdf";
import { onTestFinished } from "vitest";
import { rejectionOf } from "../support/service.ts";

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "template-pdf-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Chunks = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** A web stream can be iterated in Node, which the DOM's types do not know. */
export function iterable(chunks: Chunks): AsyncIterable<Uint8Array> {
  return chunks as AsyncIterable<Uint8Array>;
}

type Read = (from: PendingPdf | GeneratedPdf) => Promise<Uint8Array>;

const nodeForms = ["buffer()", "nodeStream()", "saveTo()"];

/** Whether a form can be had where this test runs: what browsers load has none of Node's. */
function isAvailable([form]: readonly [form: string, ...rest: unknown[]]): boolean {
  return process.env["TEMPLATE_PDF_BUILD"] !== "browser" || !nodeForms.includes(form);
}

const allForms: readonly (readonly [form: string, read: Read])[] = [
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
      // Without awaiting anything before: it has to be asked for in the same breath as the document.
      const path = join(temporaryFolder(), "saved.pdf");
      await from.saveTo(path);
      return readFile(path);
    },
  ],
  ["iteration", (from) => gather(from)],
];

/** Every form of a document, read to its end. */
export const forms = allForms.filter(isAvailable);

type Open = (pending: PendingPdf) => Promise<AsyncIterable<Uint8Array>>;
const allStreams: readonly (readonly [output: string, open: Open])[] = [
  ["stream()", async (pending) => iterable(await pending.stream())],
  ["nodeStream()", async (pending) => pending.nodeStream()],
  ["response()", async (pending) => (await pending.response()).body as unknown as AsyncIterable<Uint8Array>],
];

/** The outputs that are streams, opened and not read. */
export const streamOutputs = allStreams.filter(isAvailable);

/** Where a form can be asked for. */
export const stages = ["the pending result", "the awaited document"] as const;

/** Reads a form of the pending result, or of the document once it has been awaited. */
export async function readAt(
  stage: (typeof stages)[number],
  pending: PendingPdf,
  read: Read,
): Promise<Uint8Array> {
  return stage === "the pending result" ? read(pending) : read(await pending);
}

/** What reading a form rejects with. */
export function failureAt(stage: (typeof stages)[number], pending: PendingPdf, read: Read): Promise<unknown> {
  return rejectionOf(readAt(stage, pending, read));
}

/** Everything that comes out of a loop. */
export async function gather(chunks: Chunks): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of iterable(chunks)) all.push(chunk);
  return Buffer.concat(all);
}

/** Generates with a template and values that do not matter. */
export function generate(client: TemplatePdf, options?: Parameters<TemplatePdf["generate"]>[2]): PendingPdf {
  return client.generate("inv_2024", { total: "1,000" }, options);
}
