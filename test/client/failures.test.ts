import {
  type ApiError,
  ConnectionError,
  type InvalidPdfError,
  ServerError,
  TruncatedPdfError,
} from "template-pdf";
import { describe, expect, it } from "vitest";
import { fullPipe } from "../support/full-pipe.ts";
import { hasPipeFiles } from "../support/platform.ts";
import { type Answer, pdfOf, rejectionOf, Service, saying, turns, withLength } from "../support/service.ts";
import { closedOrigin } from "../support/sockets.ts";
import { generate } from "./every-form.ts";
import { expectTimeout } from "./timing.ts";

// For the results of each fault see test/faults, for error messages test/call.

const pdf = pdfOf(100_000);

async function failureOf(answer: Answer): Promise<Error> {
  const service = await Service.start(answer);
  return rejectionOf(generate(service.client()).bytes()) as Promise<Error>;
}

describe("an error response", () => {
  it("rejects with the error class and details, and its body is not logged", async () => {
    const json = '{"message":"no such template","password":"hidden"}';
    const error = await failureOf(saying(404, json, { "x-request-id": "r-7", "x-more": "m" }));
    expect(error).toMatchObject({ code: "not_found", status: 404, requestId: "r-7", attempts: 1 });
    const { headers, body, rawBody, detail } = error as ApiError;
    expect([headers?.get("x-more"), rawBody, detail]).toEqual(["m", json, "no such template"]);
    expect(body).toEqual(JSON.parse(json));
    expect(JSON.stringify(error)).not.toContain("hidden");
    expect(Object.keys(error).sort()).toEqual(["attempts", "code", "requestId", "status"]);
  });

  it("that never ends is read up to 64 KiB, and its connection is closed", async () => {
    const service = await Service.start(async ({ response, socket }) => {
      response.writeHead(500, { "content-type": "text/plain" });
      while (!socket.destroyed) {
        response.write("é".repeat(5_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const error = (await rejectionOf(generate(service.client()).bytes())) as ServerError;
    expect(Buffer.byteLength(error.rawBody)).toBeGreaterThan(60_000);
    expect(Buffer.byteLength(error.rawBody)).toBeLessThanOrEqual(64 * 1024);
    expect(error.rawBody).toMatch(/^é+\ufffd?$/);
    await (await service.request()).closed;
  });

  it("that is truncated rejects with an ApiError that has the received part", async () => {
    const error = await failureOf(({ response, socket }) => {
      response.writeHead(503, { "content-length": 1_000 });
      response.write("Service Unav", () => socket.destroy());
    });
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ rawBody: "Service Unav", cause: expect.any(Error) });
  });
});

it("a failed connection rejects with a ConnectionError whose cause is the system error", async () => {
  const service = await Service.start(() => {});
  const baseUrl = await closedOrigin();
  const error = (await rejectionOf(generate(service.client({ baseUrl })).bytes())) as ConnectionError;
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ code: "connection_failed", attempts: 1 });
  expect(error.message).toContain(baseUrl);
  expect(error.message).toContain("ECONNREFUSED");
  let innermost: unknown = error;
  while ((innermost as Error).cause instanceof Error) innermost = (innermost as Error).cause;
  expect(innermost).toMatchObject({ code: "ECONNREFUSED", port: Number(new URL(baseUrl).port) });
});

describe("a body that is not a PDF", () => {
  it("is detected in its first kilobyte, which the error quotes", async () => {
    const text = `<html>${"please ".repeat(500)}`;
    const error = await failureOf(({ response }) => void response.writeHead(200).write(text));
    expect(error).toMatchObject({ code: "invalid_pdf" });
    expect((error as InvalidPdfError).excerpt).toMatch(/^<html>please/);
  });

  it.each(["<html>", "", "%PDF-1.7 without an end"])("is accepted with `verify: false`: %j", async (text) => {
    const service = await Service.start(saying(200, text));
    const client = service.client();
    expect(Buffer.from(await generate(client, { verify: false }).bytes()).toString()).toBe(text);
    const lenient = client.with({ verify: false });
    expect((await generate(lenient).buffer()).toString()).toBe(text);
    expect(await rejectionOf(generate(lenient, { verify: true }).bytes())).toBeInstanceOf(Error);
  });
});

/** Sends a part of a document, which may declare a longer `content-length`, and then closes the connection. */
function breaking(part: Buffer, length?: number): Answer {
  return ({ response, socket }) => {
    response.writeHead(200, length === undefined ? {} : { "content-length": length }).flushHeaders();
    response.write(part, () => socket.end());
  };
}

describe("a truncated document", () => {
  const half = pdf.subarray(0, 60_000);
  it.each<[string, Answer, object]>([
    ["no end mark", withLength(half), { receivedBytes: 60_000, promisedBytes: 60_000 }],
    ["fewer bytes than promised", breaking(half, 100_000), { receivedBytes: 60_000, promisedBytes: 100_000 }],
    ["chunks without the last one", breaking(pdf), { receivedBytes: 100_000 }],
  ])("with %s rejects with the number of received bytes", async (_, answer, facts) => {
    const error = (await failureOf(answer)) as TruncatedPdfError;
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(error).toMatchObject({ code: "truncated_pdf", status: 200, attempts: 1, ...facts });
    expect("promisedBytes" in error).toBe("promisedBytes" in facts);
    expect(error.message).toContain(String(error.receivedBytes));
  });

  it("is reported to the first reader of a Node stream, even if it starts late", async () => {
    const service = await Service.start(withLength(pdf.subarray(0, 10_000)));
    const document = await generate(service.client());
    await turns(20);
    const stream = document.nodeStream();
    // An error without a listener would be an uncaught exception here.
    await turns(20);
    await expect(stream.toArray()).rejects.toBeInstanceOf(TruncatedPdfError);
  });

  it("that a custom `fetch` ends without an error rejects", async () => {
    const headers = { "content-length": String(pdf.length + 1) };
    const service = await Service.start(() => {});
    const client = service.client({ fetch: async () => new Response(new Uint8Array(pdf), { headers }) });
    const facts = { receivedBytes: pdf.length, promisedBytes: pdf.length + 1 };
    expect(await rejectionOf(generate(client).bytes())).toMatchObject({ code: "truncated_pdf", ...facts });
  });
});

it.runIf(hasPipeFiles).each([2_000, 5_000_000])(
  "timeouts.total stops saveTo() of %d bytes to a pipe without a reader",
  async (size) => {
    const pipe = fullPipe();
    const service = await Service.start(withLength(pdfOf(size)));
    const client = service.client({ timeouts: { total: 300 } });
    const document = await generate(client);
    await turns(20);
    const saving = rejectionOf(document.saveTo(pipe.path));
    setTimeout(() => pipe.close(), 500);
    expectTimeout(await saving, "total", 300);
    await client.close();
  },
);
