import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ClientOptions, type RetryEvent, TruncatedPdfError } from "template-pdf";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type Answer,
  beginning,
  inTurn,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  turns,
  withLength,
} from "../support/service.ts";
import { later } from "../support/sockets.ts";
import { gather, generate, outputMethods, temporaryFolder } from "./every-form.ts";
import { expectTimeout, passTime, stopTime, withoutBackOff } from "./timing.ts";

// For the kinds of truncation and the outputs that retry see test/faults.

const pdf = pdfOf(400_000);
const half = pdf.subarray(0, 200_000);
const promised = { "content-length": String(pdf.length), "x-request-id": "truncated" };
const truncated: Answer = ({ response }) => {
  response.writeHead(200, promised);
  response.write(half, () => response.destroy());
};

/** Starts a service whose first documents are truncated and whose later ones are complete. */
async function start(truncatedFirst = 1) {
  const completePdf = withLength(pdf, { "x-request-id": "whole" });
  const service = await Service.start(inTurn(...Array(truncatedFirst).fill(truncated), completePdf));
  const retries: RetryEvent[] = [];
  const client = (options: ClientOptions = {}) =>
    service.client({ retry: {}, hooks: { retry: (event) => retries.push(event) }, ...options });
  return { service, client, retries };
}

beforeEach(withoutBackOff);

describe("a truncated document", () => {
  it("is retried with the same request", async () => {
    const { service, client, retries } = await start();
    expect(pdf.equals(await generate(client()).bytes())).toBe(true);
    expect(service.requests).toHaveLength(2);
    expect(service.requests[1]?.body).toBe(service.requests[0]?.body);
    expect(retries).toEqual([expect.objectContaining({ attempt: 1, delayMs: 0 })]);
    await service.requests[0]?.closed;
  });

  it.each(outputMethods)("is not retried for %s of the awaited document", async (_, read) => {
    const { service, client } = await start();
    const document = await generate(client());
    const error = await rejectionOf((async () => read(document))());
    expect([document.attempts, (error as TruncatedPdfError).attempts]).toEqual([1, 1]);
    expect(service.requests).toHaveLength(1);
  });

  it("is not retried if the pending result is also awaited", async () => {
    const { service, client } = await start();
    const pending = generate(client());
    const [document, error] = await Promise.all([pending, rejectionOf(pending.bytes())]);
    expect([document.requestId, (error as TruncatedPdfError).attempts]).toEqual(["truncated", 1]);
    expect(service.requests).toHaveLength(1);
  });

  it("rejects with the number of attempts if every attempt is truncated", async () => {
    const { service, client } = await start(99);
    const error = await rejectionOf(generate(client()).bytes());
    expect(TruncatedPdfError.is(error) && error.attempts).toBe(3);
    expect((error as Error).message).toMatch(/ Tried 3 times\.$/);
    await Promise.all(service.requests.map(({ closed }) => closed));
    expect(service.requests).toHaveLength(3);
  });

  it("rejects with the error of the next attempt if that fails differently", async () => {
    const service = await Service.start(inTurn(truncated, saying(404)));
    const error = await rejectionOf(generate(service.client({ retry: {} })).blob());
    expect(error).toMatchObject({ code: "not_found", attempts: 2 });
  });

  it("is retried with `verify: false` if bytes are missing", async () => {
    const { service, client } = await start();
    expect(pdf.equals(await generate(client({ verify: false })).bytes())).toBe(true);
    expect(service.requests).toHaveLength(2);
  });

  it("is replaced in the pending result by the document of the next attempt", async () => {
    const { client } = await start();
    const pending = generate(client());
    await pending.bytes();
    const document = await pending;
    expect([document.requestId, document.attempts]).toEqual(["whole", 2]);
  });

  it("is replaced by the next document for a caller that awaits it during the retry", async () => {
    const { client } = await start();
    const awaited: Promise<unknown>[] = [];
    const retry = () => {
      awaited.push(pending.then(({ requestId, attempts }) => [requestId, attempts]));
    };
    const pending = generate(client({ hooks: { retry } }));
    expect(pdf.equals(await pending.bytes())).toBe(true);
    expect(await Promise.all(awaited)).toEqual([["whole", 2]]);
  });

  it("is not retried twice if it is awaited during the retry", async () => {
    const { service, client } = await start(2);
    const pending = generate(client({ hooks: { retry: () => void pending.then(() => {}) } }));
    expect(await rejectionOf(pending.bytes())).toMatchObject({ code: "truncated_pdf", attempts: 2 });
    expect(service.requests).toHaveLength(2);
  });

  it("ends the call for all outputs if a second output has started to read it", async () => {
    const { service, client } = await start();
    const pdfs = client();
    const pending = generate(pdfs);
    const saving = rejectionOf(pending.saveTo(join(temporaryFolder(), "a.pdf")));
    const error = await rejectionOf(pending.stream().then((stream) => gather(stream)));
    expect(error).toMatchObject({ code: "truncated_pdf", attempts: 1 });
    expect(await saving).toBeInstanceOf(TypeError);
    // close() would wait for the call if it had not ended.
    await pdfs.close();
    expect(service.requests).toHaveLength(1);
  });

  it("leaves no temporary files of earlier attempts next to the saved file", async () => {
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

  it("does not replace an existing file", async () => {
    const path = join(temporaryFolder(), "a.pdf");
    await generate((await start(0)).client()).saveTo(path);
    const { client } = await start(99);
    expect(await rejectionOf(generate(client()).saveTo(path))).toMatchObject({ attempts: 3 });
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("is limited by `timeouts.total` across all attempts", async () => {
    const service = await Service.start(beginning(half, promised));
    const begun = [later<void>(), later<void>()] as const;
    const client = service.client({
      retry: { limit: 100 },
      timeouts: { firstByte: 1_000_000, stall: 100_000, total: 150_000 },
      hooks: { response: ({ attempt }) => begun[attempt - 1]?.resolve() },
    });
    stopTime();
    const failure = rejectionOf(generate(client).bytes());
    await begun[0].promise;
    await turns(100);
    await passTime(100_300);
    await begun[1].promise;
    await passTime(51_000);
    const error = expectTimeout(await failure, "total", 150_000);
    expect(error.attempts).toBe(2);
    expectTimeout(error.cause, "stall", 100_000);
    await Promise.all(service.requests.map(({ closed }) => closed));
  });
});
