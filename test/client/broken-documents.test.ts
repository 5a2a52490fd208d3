import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { InvalidPdfError, TruncatedPdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  inChunks,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  untilClose,
  withLength,
} from "../support/service.ts";
import { failureAt, forms, generate, stages } from "./every-form.ts";

const pdf = pdfOf(100_000);
const page = `<!doctype html><html><head><title>Sign in</title></head><body>${"please ".repeat(500)}</body></html>`;

const noPdfs: readonly (readonly [string, Answer, readonly string[]])[] = [
  [
    "an HTML page",
    saying(200, page, { "content-type": "text/html; charset=utf-8" }),
    ["text/html", "Sign in"],
  ],
  [
    "a short HTML page that calls itself a PDF",
    saying(200, "<html>", { "content-type": "application/pdf" }),
    ["<html>"],
  ],
  [
    "JSON",
    saying(200, '{"error":"quota"}', { "content-type": "application/json" }),
    ["application/json", "quota"],
  ],
  ["an empty body", saying(200), ["empty body"]],
  ["204 No Content", saying(204), ["204", "empty body"]],
  ["205 Reset Content", saying(205), ["205"]],
  ["text that mentions %PDF", saying(200, "not a %PDF"), ["not a %PDF"]],
  ["a header that comes too late", withLength(Buffer.concat([Buffer.alloc(1_100, 0x20), pdf])), ["no PDF"]],
  ["the end of a PDF", withLength(pdf.subarray(50_000)), ["no PDF"]],
  ["a PDF in base64", saying(200, pdf.toString("base64")), ["[redacted]"]],
];

describe("a success that is no PDF", () => {
  it.each(noPdfs)("is an InvalidPdfError: %s", async (_, answer, said) => {
    const service = await Service.start(answer);
    const error = (await rejectionOf(generate(service.client()).bytes())) as InvalidPdfError;
    expect(error).toBeInstanceOf(InvalidPdfError);
    expect(error).toMatchObject({ code: "invalid_pdf", attempts: 1, status: expect.any(Number) });
    for (const part of said) expect(error.message).toContain(part);
    expect(error.message.length).toBeLessThan(600);
    expect(error.message).not.toMatch(/\p{Cc}/u);
  });

  it.each(forms)("rejects %s, of the pending result and after an await", async (_, read) => {
    for (const [, answer] of noPdfs.slice(0, 4)) {
      const service = await Service.start(answer);
      for (const stage of stages) {
        const error = await failureAt(stage, generate(service.client()), read);
        expect(error).toBeInstanceOf(InvalidPdfError);
      }
    }
  });

  it("is known as such by its first kilobyte, and its connection freed", async () => {
    const service = await Service.start(({ response }) => void response.writeHead(200).write(page));
    expect(await rejectionOf(generate(service.client()).bytes())).toBeInstanceOf(InvalidPdfError);
    await (await service.request()).closed;
  });

  it("does not get its control characters into a log", async () => {
    const service = await Service.start(saying(200, "line\r\nFORGED\u001b[31m\u0000 entry"));
    const { message } = (await rejectionOf(generate(service.client()).bytes())) as Error;
    expect(message).not.toMatch(/\p{Cc}/u);
  });

  it("is no PDF either where its coding cannot be undone", async () => {
    const service = await Service.start(withLength(pdf, { "content-encoding": "compress" }));
    const error = await rejectionOf(generate(service.client()).bytes());
    expect(error).toBeInstanceOf(InvalidPdfError);
    expect(String(error)).toContain("compress");
  });
});

/** Sends `part` of a document and then does something to the connection. */
function breaking(part: Buffer, length: number | undefined, end: "reset" | "close"): Answer {
  return ({ response, socket }) => {
    response.writeHead(200, length === undefined ? {} : { "content-length": length });
    response.write(part, () => (end === "reset" ? socket.resetAndDestroy() : socket.end()));
  };
}

const part = pdf.subarray(0, 60_000);
const wholeButLonger = { promised: pdf.length + 10 };

const cutOffs: readonly (readonly [string, Answer, object])[] = [
  ["no end mark", withLength(part), { receivedBytes: 60_000, promisedBytes: 60_000 }],
  ["no end mark, in chunks", inChunks(part), { receivedBytes: 60_000 }],
  ["no end mark, until close", untilClose(part), { receivedBytes: 60_000 }],
  [
    "fewer bytes than promised",
    breaking(part, pdf.length, "close"),
    { receivedBytes: 60_000, promisedBytes: 100_000 },
  ],
  [
    "fewer bytes than promised, though an end mark is there",
    breaking(pdf, wholeButLonger.promised, "close"),
    { receivedBytes: 100_000, promisedBytes: 100_010 },
  ],
  ["a reset", breaking(part, pdf.length, "reset"), { promisedBytes: 100_000 }],
  ["chunks without the last one", breaking(part, undefined, "close"), { receivedBytes: 60_000 }],
  [
    "chunks without the last one, though an end mark is there",
    breaking(pdf, undefined, "close"),
    { receivedBytes: 100_000 },
  ],
];

describe("a PDF that does not come whole", () => {
  it.each(cutOffs)("is a TruncatedPdfError that tells how far it came: %s", async (_, answer, facts) => {
    const service = await Service.start(answer);
    const error = (await rejectionOf(generate(service.client()).bytes())) as TruncatedPdfError;
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(error).toMatchObject({ code: "truncated_pdf", status: 200, attempts: 1, ...facts });
    expect(error.receivedBytes).toBeLessThanOrEqual(100_000);
    expect("promisedBytes" in error).toBe("promisedBytes" in facts);
    expect(error.message).toContain(String(error.receivedBytes));
  });

  describe.each(cutOffs)("%s:", (_, answer) => {
    it.each(forms)("%s never ends well", async (_, read) => {
      const service = await Service.start(answer);
      for (const stage of stages) {
        const error = await failureAt(stage, generate(service.client()), read);
        expect(error).toBeInstanceOf(TruncatedPdfError);
      }
    });
  });

  it("is told to the first reader of a Node stream, who may come late", async () => {
    const service = await Service.start(withLength(pdf.subarray(0, 10_000)));
    const document = await generate(service.client());
    await new Promise((resolve) => setTimeout(resolve, 20));
    const stream = document.nodeStream();
    // An error without a listener would be an uncaught exception now, and fail the run.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(stream.toArray()).rejects.toBeInstanceOf(TruncatedPdfError);
  });

  it.each(forms)("is known to %s though it broke before it was read", async (_, read) => {
    let broken: Promise<void> | undefined;
    const service = await Service.start((received) => {
      breaking(pdf.subarray(0, 10_000), pdf.length, "close")(received);
      broken = received.closed;
    });
    const document = await generate(service.client());
    await broken;
    expect(await rejectionOf((async () => read(document))())).toBeInstanceOf(TruncatedPdfError);
  });

  it.each(forms)(
    "is known to %s where a fetch of the caller's own ends it as if it were whole",
    async (_, read) => {
      const service = await Service.start(() => {});
      const fetch = async () =>
        new Response(new Uint8Array(pdf), { headers: { "content-length": String(pdf.length + 1) } });
      for (const stage of stages) {
        const error = await failureAt(stage, generate(service.client({ fetch })), read);
        expect(error).toBeInstanceOf(TruncatedPdfError);
        expect(error).toMatchObject({ receivedBytes: pdf.length, promisedBytes: pdf.length + 1 });
      }
    },
  );

  it("is one, too, where the connection ends right after the head", async () => {
    const service = await Service.start(({ response, socket }) => {
      response.writeHead(200, { "content-length": 1_000 }).flushHeaders();
      socket.end();
    });
    const error = await rejectionOf(generate(service.client()).bytes());
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(error).toMatchObject({ receivedBytes: 0, promisedBytes: 1_000, cause: expect.any(Error) });
  });

  it("is one, too, where its gzip is cut off", async () => {
    const packed = gzipSync(pdf);
    const service = await Service.start(
      inChunks(packed.subarray(0, packed.length - 20), { "content-encoding": "gzip" }),
    );
    expect(await rejectionOf(generate(service.client()).bytes())).toBeInstanceOf(TruncatedPdfError);
  });
});

describe("a PDF is accepted", () => {
  it.each([
    ["with a wrong content type", withLength(pdf, { "content-type": "text/html" })],
    ["with a content type that is none", withLength(pdf, { "content-type": ";;;" })],
    ["with another status of 2xx", saying(207, pdf)],
    ["with gzip", withLength(gzipSync(pdf), { "content-encoding": "gzip" })],
    ["with gzip, in capitals", withLength(gzipSync(pdf), { "content-encoding": "GZIP" })],
    ["with deflate", inChunks(deflateSync(pdf), { "content-encoding": "deflate" })],
    ["with brotli", inChunks(brotliCompressSync(pdf), { "content-encoding": "br" })],
    ["with two codings", inChunks(brotliCompressSync(gzipSync(pdf)), { "content-encoding": "gzip, br" })],
    ["with the coding identity", withLength(pdf, { "content-encoding": "identity" })],
  ])("%s", async (_, answer) => {
    const service = await Service.start(answer);
    expect(pdf.equals(await generate(service.client()).bytes())).toBe(true);
  });

  it.each([
    ["junk before its header", Buffer.concat([Buffer.alloc(1_019, "x"), pdf])],
    ["80,000 NULs behind its end", Buffer.concat([pdf, Buffer.alloc(80_000)])],
    ["lines behind its end", Buffer.concat([pdf, Buffer.from("\r\n".repeat(2_000))])],
    ["1,000 bytes of junk behind its end", Buffer.concat([pdf, Buffer.alloc(1_000, "x")])],
  ])("with %s", async (_, body) => {
    for (const answer of [withLength(body), inChunks(body)]) {
      const service = await Service.start(answer);
      expect(body.equals(await generate(service.client()).bytes())).toBe(true);
    }
  });

  it.each([page, "", '{"a":1}', "%PDF-1.7 without an end"])(
    "without verify, whatever it is: %.20j",
    async (text) => {
      const service = await Service.start(saying(200, text));
      const client = service.client();
      expect(Buffer.from(await generate(client, { verify: false }).bytes()).toString()).toBe(text);
      const lenient = client.with({ verify: false });
      expect((await generate(lenient).buffer()).toString()).toBe(text);
      expect(await rejectionOf(generate(lenient, { verify: true }).bytes())).toBeInstanceOf(Error);
    },
  );

  it("without verify, but never with fewer bytes than promised", async () => {
    const service = await Service.start(breaking(part, pdf.length, "close"));
    const pending = generate(service.client({ verify: false }));
    expect(await rejectionOf(pending.bytes())).toBeInstanceOf(TruncatedPdfError);
  });
});
