import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ApiError,
  type ClientOptions,
  ConnectionError,
  OversizedPdfError,
  ServerError,
  TruncatedPdfError,
} from "template-pdf";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type Answer,
  clientOf,
  inChunks,
  inTurn,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  turns,
  withLength,
} from "../support/service.ts";
import { closedOrigin } from "../support/sockets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { gather, generate, outputMethods } from "./output-methods.ts";
import { withoutBackOff } from "./timing.ts";

// test/faults covers the results of each fault, and test/call covers the error messages.

const pdf = pdfOf(100_000);

async function failureOf(answer: Answer): Promise<Error> {
  const service = await Service.start(answer);
  return rejectionOf(generate(service.client()).bytes()) as Promise<Error>;
}

describe("an error response", () => {
  it("causes an error whose JSON does not contain the response body", async () => {
    const json = '{"message":"no such template","password":"hidden"}';
    const error = await failureOf(saying(404, json, { "x-request-id": "r-7", "x-more": "m" }));
    expect(error).toMatchObject({ code: "not_found", status: 404, requestId: "r-7", attempts: 1 });
    const { headers, body, rawBody, detail } = error as ApiError;
    expect({ header: headers?.get("x-more"), rawBody, detail }).toEqual({
      header: "m",
      rawBody: json,
      detail: "no such template",
    });
    expect(body).toEqual(JSON.parse(json));
    expect(JSON.stringify(error)).not.toContain("hidden");
    expect(Object.keys(error).sort()).toEqual(["attempts", "code", "requestId", "status"]);
  });

  it("is read up to 64 KiB if it never ends", async () => {
    const service = await Service.start(async ({ response, socket }) => {
      response.writeHead(500, { "content-type": "text/plain" });
      while (!socket.destroyed) {
        response.write("x".repeat(5_000));
        await turns(1);
      }
    });
    const error = (await rejectionOf(generate(service.client()).bytes())) as ServerError;
    expect(error.rawBody).toBe("x".repeat(64 * 1024));
    await (await service.request()).closed;
  });

  it("causes an ApiError even if the response is truncated", async () => {
    const error = await failureOf(({ response, socket }) => {
      response.writeHead(503, { "content-length": 1_000 });
      response.write("Service Unav", () => socket.destroy());
    });
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ rawBody: "Service Unav", cause: expect.any(Error) });
  });
});

it("a failed connection causes a ConnectionError whose cause is the system error", async () => {
  const baseUrl = await closedOrigin();
  const error = await rejectionOf(generate(clientOf(baseUrl)).bytes());
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ code: "connection_failed", attempts: 1, cause: { code: "ECONNREFUSED" } });
  expect(String(error)).toMatch(`${baseUrl}`);
});

describe("a body that is not a PDF", () => {
  it("is rejected before the response ends", async () => {
    const text = `<html>${"please ".repeat(500)}`;
    const error = await failureOf(({ response }) => void response.writeHead(200).write(text));
    const excerpt = expect.stringMatching(/^<html>please/);
    expect(error).toMatchObject({ code: "invalid_pdf", excerpt });
  });

  it.each(["<html>", "%PDF-1.7 without an end"])("is accepted if `verify` is false: %j", async (text) => {
    const service = await Service.start(saying(200, text));
    const lenient = service.client({ verify: false });
    expect((await generate(lenient).buffer()).toString()).toBe(text);
    expect(await rejectionOf(generate(lenient, { verify: true }).bytes())).toBeInstanceOf(Error);
  });
});

const promised = { "content-length": String(pdf.length), "x-request-id": "truncated" };
const truncated: Answer = ({ response }) => {
  response.writeHead(200, promised);
  response.write(pdf.subarray(0, 80_000), () => response.destroy());
};

/** Starts a service whose first documents are truncated and whose later ones are complete. */
async function start(truncatedFirst = 1) {
  const completePdf = withLength(pdf, { "x-request-id": "whole" });
  const service = await Service.start(inTurn(...Array(truncatedFirst).fill(truncated), completePdf));
  const client = (options: ClientOptions = {}) => service.client({ retry: {}, ...options });
  return { service, client };
}

describe("a truncated document", () => {
  beforeEach(withoutBackOff);

  it.each([pdf.length + 1, undefined])(
    "causes an error that contains the known byte counts if the response's content-length is %s",
    async (promisedBytes) => {
      const error = await failureOf(({ response, socket }) => {
        response.writeHead(200, promisedBytes ? { "content-length": promisedBytes } : {}).flushHeaders();
        response.write(pdf, () => socket.end());
      });
      const facts = { receivedBytes: pdf.length, ...(promisedBytes && { promisedBytes }) };
      expect(error).toBeInstanceOf(TruncatedPdfError);
      expect(error).toMatchObject({ code: "truncated_pdf", status: 200, attempts: 1, ...facts });
      expect("promisedBytes" in error).toBe(promisedBytes !== undefined);
    },
  );

  it("is reported to the reader of a Node stream even if reading starts late", async () => {
    const service = await Service.start(withLength(pdf.subarray(0, 10_000)));
    const document = await generate(service.client());
    await turns(20);
    const stream = document.nodeStream();
    // An error without a listener would be an uncaught exception here.
    await turns(20);
    await expect(stream.toArray()).rejects.toBeInstanceOf(TruncatedPdfError);
  });

  it.each(outputMethods)("is not requested again if the caller has the document (%s)", async (_, read) => {
    const { service, client } = await start();
    const document = await generate(client());
    const error = await rejectionOf((async () => read(document))());
    expect({ document, error }).toMatchObject({
      document: { attempts: 1 },
      error: { code: "truncated_pdf", attempts: 1 },
    });
    expect(service.requests).toHaveLength(1);
  });

  it("is not requested again if the caller awaits both the result and an output", async () => {
    const { service, client } = await start();
    const pending = generate(client());
    const [document, error] = await Promise.all([pending, rejectionOf(pending.bytes())]);
    expect(document.requestId).toBe("truncated");
    expect(error).toMatchObject({ code: "truncated_pdf", attempts: 1 });
    expect(service.requests).toHaveLength(1);
  });

  it("is not requested again if the caller awaits the result before an output", async () => {
    const { service, client } = await start();
    const pending = generate(client());
    const awaited = pending.then(({ requestId }) => requestId);
    const error = await rejectionOf(pending.bytes());
    expect(await awaited).toBe("truncated");
    expect(error).toMatchObject({ code: "truncated_pdf", attempts: 1 });
    expect(service.requests).toHaveLength(1);
  });

  it("causes an error that contains the number of attempts if every attempt fails", async () => {
    const { service, client } = await start(99);
    const error = await rejectionOf(generate(client()).bytes());
    expect(TruncatedPdfError.is(error)).toBe(true);
    expect(error).toMatchObject({ attempts: 3, message: expect.stringMatching(/ Tried 3 times\.$/) });
    await Promise.all(service.requests.map(({ closed }) => closed));
    expect(service.requests).toHaveLength(3);
  });

  it("causes the retry's error if the retry fails for a different reason", async () => {
    const service = await Service.start(inTurn(truncated, saying(404)));
    const error = await rejectionOf(generate(service.client({ retry: {} })).blob());
    expect(error).toMatchObject({ code: "not_found", attempts: 2 });
  });

  it("is replaced by the retry's document, even if the result is awaited during the retry", async () => {
    const { client } = await start();
    const awaited: Promise<unknown>[] = [];
    const retry = () =>
      void awaited.push(pending.then(({ requestId, attempts }) => ({ requestId, attempts })));
    const pending = generate(client({ verify: false, hooks: { retry } }));
    expect(pdf.equals(await pending.bytes())).toBe(true);
    expect(await Promise.all(awaited)).toEqual([{ requestId: "whole", attempts: 2 }]);
  });

  it("is not requested a third time if the result is awaited during the first retry", async () => {
    const { service, client } = await start(2);
    const pending = generate(client({ hooks: { retry: () => void pending.then(() => {}) } }));
    expect(await rejectionOf(pending.bytes())).toMatchObject({ code: "truncated_pdf", attempts: 2 });
    expect(service.requests).toHaveLength(2);
  });

  it("is not requested again if a second output has started to read the document", async () => {
    const { service, client } = await start();
    const pdfs = client();
    const pending = generate(pdfs);
    // Once the call has started, the path of a file is checked first, so the stream reads the document.
    await undefined;
    const saving = rejectionOf(pending.saveTo(join(temporaryFolder(), "a.pdf")));
    const error = await rejectionOf(pending.stream().then((stream) => gather(stream)));
    expect(error).toMatchObject({ code: "truncated_pdf", attempts: 1 });
    expect(await saving).toBeInstanceOf(TypeError);
    // close() would wait for the call if it had not ended.
    await pdfs.close();
    expect(service.requests).toHaveLength(1);
  });

  it("leaves no temporary files next to the saved file", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.pdf");
    const left: string[][] = [];
    const answer = inTurn(truncated, truncated, withLength(pdf));
    const service = await Service.start(async (received) => {
      left.push(await readdir(folder));
      await answer(received);
    });
    const saved = await generate(service.client({ retry: {} })).saveTo(path);
    expect(saved).toEqual({ path, bytes: pdf.length });
    expect(left).toEqual([[], [], []]);
    expect(await readdir(folder)).toEqual(["a.pdf"]);
    expect(pdf.equals(await readFile(path))).toBe(true);
  });
});

const inMemory = outputMethods.filter(([method]) => /^(?:bytes|buffer|arrayBuffer|blob)/.test(method));
const notInMemory = outputMethods.filter((method) => !inMemory.includes(method));

describe("maxBytes", () => {
  it.each(inMemory)("limits the size of a document that is read with %s", async (_, read) => {
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

  it.each([
    ["if its content-length exceeds the limit", { "content-length": 10 ** 12 }, "1000000000000"],
    ["without a content-length as soon as the document exceeds the limit", {}, "50000"],
  ])("rejects a document %s", async (_, headers, text) => {
    const service = await Service.start(({ response }) => void response.writeHead(200, headers).write(pdf));
    const document = await generate(service.client(), { maxBytes: 50_000 });
    const error = await rejectionOf(document.buffer());
    expect(error).toBeInstanceOf(OversizedPdfError);
    expect(String(error)).toContain(text);
    await (await service.request()).closed;
  });

  it.each(notInMemory)("does not apply to %s, which does not buffer the document", async (_, read) => {
    const service = await Service.start(withLength(pdf));
    expect(pdf.equals(await read(generate(service.client(), { maxBytes: 1 })))).toBe(true);
  });
});
