import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { OversizedPdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import {
  asTaken,
  inChunks,
  pdfOf,
  rejectionOf,
  Service,
  transports,
  withLength,
} from "../support/service.ts";
import { gather, generate, outputMethods, streamOutputs, temporaryFolder } from "./every-form.ts";

const huge = pdfOf(48 * 1024 * 1024);

/**
 * The maximum number of bytes in flight between a fast service and a reader: the socket buffers of the system (on Linux up to
 * 4 MiB for the sender and 32 MiB for the receiver) and a few buffers of the client.
 */
const maxBytesInFlight = 38 * 1024 * 1024;

/** Waits as long as the transfer of another document of the same size takes. */
async function transferAnotherDocument(): Promise<void> {
  const service = await Service.start(asTaken(huge));
  const response = await fetch(service.baseUrl, { method: "POST" });
  expect((await response.arrayBuffer()).byteLength).toBe(huge.length);
}

describe.each(transports)("the data that the service can send ahead over %s", (_, options) => {
  const start = async () => {
    let sent = 0;
    const service = await Service.start(
      asTaken(huge, (bytes) => {
        sent = bytes;
      }),
    );
    return { pending: generate(service.client(options)), sent: () => sent };
  };

  it("is limited while the document is not read, and the document is complete when it is read", async () => {
    const { pending, sent } = await start();
    const document = await pending;
    await transferAnotherDocument();
    expect(sent()).toBeLessThan(maxBytesInFlight);
    expect(huge.equals(await document.bytes())).toBe(true);
  });

  it.each(streamOutputs)("is limited by a slow reader of %s", async (_, open) => {
    const { pending, sent } = await start();
    const chunks = await open(pending);
    await transferAnotherDocument();
    expect(sent()).toBeLessThan(maxBytesInFlight);
    expect(huge.equals(await gather(chunks))).toBe(true);
  });

  it("is not limited by saveTo(), which writes every byte", async () => {
    const { pending } = await start();
    const path = join(temporaryFolder(), "huge.pdf");
    expect(await pending.saveTo(path)).toEqual({ path, bytes: huge.length });
    expect(huge.equals(await readFile(path))).toBe(true);
  });
});

describe("maxBytes", () => {
  const pdf = pdfOf(100_000);
  const inMemory = outputMethods.filter(([method]) => /^(?:bytes|buffer|arrayBuffer|blob)/.test(method));
  const notInMemory = outputMethods.filter((method) => !inMemory.includes(method));

  it.each(inMemory)(
    "allows %s of a document of exactly that size, but not of one more byte",
    async (_, read) => {
      for (const answer of [withLength(pdf), inChunks(pdf)]) {
        const service = await Service.start(answer);
        const client = service.client({ maxBytes: pdf.length - 1 });
        const error = await rejectionOf(read(generate(client)));
        expect(error).toBeInstanceOf(OversizedPdfError);
        expect(error).toMatchObject({ code: "oversized_pdf", status: 200, attempts: 1 });
        expect(String(error)).toContain(String(pdf.length - 1));
        await (await service.request()).closed;
        expect(pdf.equals(await read(generate(client, { maxBytes: pdf.length })))).toBe(true);
      }
    },
  );

  it("rejects a document by its content-length before it arrives", async () => {
    const service = await Service.start(({ response }) => {
      response.writeHead(200, { "content-length": 10 ** 12 });
      response.write(pdf.subarray(0, 2_000));
    });
    const error = await rejectionOf(generate(service.client()).bytes());
    expect(error).toBeInstanceOf(OversizedPdfError);
    expect(String(error)).toContain("1000000000000");
    await (await service.request()).closed;
  });

  it("rejects a document without content-length as soon as it is too long", async () => {
    const service = await Service.start(({ response }) => void response.writeHead(200).write(pdf));
    const document = await generate(service.client(), { maxBytes: 50_000 });
    expect(await rejectionOf(document.buffer())).toBeInstanceOf(OversizedPdfError);
    await (await service.request()).closed;
  });

  it.each(notInMemory)(
    "does not apply to %s, which does not keep the document in memory",
    async (_, read) => {
      const service = await Service.start(withLength(pdf));
      expect(pdf.equals(await read(generate(service.client(), { maxBytes: 1 })))).toBe(true);
    },
  );
});
