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
import { forms, gather, generate, streamOutputs, temporaryFolder } from "./every-form.ts";

const huge = pdfOf(48 * 1024 * 1024);

/**
 * How much may be under way between a service that never stops and a reader: what the system keeps for both
 * sockets (Linux lets it grow to 4 MiB for the sender and 32 MiB for the receiver), and our own few buffers.
 */
const mostUnderWay = 38 * 1024 * 1024;

/** Lets the event loop carry a document as large as the one under test to its end. */
async function whileAnotherPasses(): Promise<void> {
  const service = await Service.start(asTaken(huge));
  const response = await fetch(service.baseUrl, { method: "POST" });
  expect((await response.arrayBuffer()).byteLength).toBe(huge.length);
}

describe.each(transports)("what the service can send ahead, by %s,", (_, options) => {
  const start = async () => {
    let sent = 0;
    const service = await Service.start(
      asTaken(huge, (bytes) => {
        sent = bytes;
      }),
    );
    return { pending: generate(service.client(options)), sent: () => sent };
  };

  it("is bounded while nobody reads the document, which is whole all the same when it is read", async () => {
    const { pending, sent } = await start();
    const document = await pending;
    await whileAnotherPasses();
    expect(sent()).toBeLessThan(mostUnderWay);
    expect(huge.equals(await document.bytes())).toBe(true);
  });

  it.each(streamOutputs)("is bounded by a slow reader of %s", async (_, open) => {
    const { pending, sent } = await start();
    const chunks = await open(pending);
    await whileAnotherPasses();
    expect(sent()).toBeLessThan(mostUnderWay);
    expect(huge.equals(await gather(chunks))).toBe(true);
  });

  it("is not bounded by saveTo(), which gives every byte", async () => {
    const { pending } = await start();
    const path = join(temporaryFolder(), "huge.pdf");
    expect(await pending.saveTo(path)).toEqual({ path, bytes: huge.length });
    expect(huge.equals(await readFile(path))).toBe(true);
  });
});

describe("maxBytes", () => {
  const pdf = pdfOf(100_000);
  const inMemory = forms.filter(([form]) => /^(?:bytes|buffer|arrayBuffer|blob)/.test(form));
  const notInMemory = forms.filter((form) => !inMemory.includes(form));

  it.each(inMemory)("allows %s of a document of that size, and refuses one byte more", async (_, read) => {
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
  });

  it("refuses a document by its promised length, before it has come", async () => {
    const service = await Service.start(({ response }) => {
      response.writeHead(200, { "content-length": 10 ** 12 });
      response.write(pdf.subarray(0, 2_000));
    });
    const error = await rejectionOf(generate(service.client()).bytes());
    expect(error).toBeInstanceOf(OversizedPdfError);
    expect(String(error)).toContain("1000000000000");
    await (await service.request()).closed;
  });

  it("refuses a document without a promised length as soon as it is too long", async () => {
    const service = await Service.start(({ response }) => void response.writeHead(200).write(pdf));
    const document = await generate(service.client(), { maxBytes: 50_000 });
    expect(await rejectionOf(document.buffer())).toBeInstanceOf(OversizedPdfError);
    await (await service.request()).closed;
  });

  it.each(notInMemory)("does not concern %s, which holds little", async (_, read) => {
    const service = await Service.start(withLength(pdf));
    expect(pdf.equals(await read(generate(service.client(), { maxBytes: 1 })))).toBe(true);
  });
});
