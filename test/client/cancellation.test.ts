import { getEventListeners } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientOptions, TruncatedPdfError, template } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import { eventuallyEquals } from "../support/eventually.ts";
import {
  type Answer,
  beginning,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  strayRejections,
  transports,
  turns,
  withLength,
} from "../support/service.ts";
import { later } from "../support/sockets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { generate, outputMethods, stages } from "./output-methods.ts";
import { stopTime } from "./timing.ts";

const pdf = pdfOf(200_000);
const half = beginning(pdf.subarray(0, 100_000), { "content-length": String(pdf.length) });
const silent: Answer = () => {};
const failed = (seconds: string) => saying(503, "", { "retry-after": seconds });

/** Returns a signal and a function that aborts it. */
function controlled() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason) };
}

type Wait = () => Promise<never>;
type Moment = [string, Answer[], ((wait: Wait) => ClientOptions & { validate?: Wait })?];

/** Moments of a call: the responses until then, and an option that waits forever at that moment. */
const moments: Moment[] = [
  ["before anything is sent", []],
  ["while the API key is awaited", [], (apiKey) => ({ apiKey })],
  ["while the schema is awaited", [], (validate) => ({ validate })],
  ["while the service renders the document", [silent]],
  ["before the first byte", [({ response }) => response.writeHead(200).flushHeaders()]],
  ["before the PDF header", [beginning(pdf.subarray(0, 3))]],
  ["during an error response", [({ response }) => response.writeHead(400).write("{")]],
  ["during the delay before a retry", [failed("50")], (retry) => ({ hooks: { retry } })],
  ["during the second attempt", [failed("0"), silent]],
];

describe.each(transports)("a call over %s", (_, transport) => {
  it.each(moments)("rejects and frees all resources if it is cancelled %s", async (_, answers, setting) => {
    for (const end of ["abort", "cancel"] as const) {
      const service: Service = await Service.start((received) =>
        answers[service.requests.length - 1]?.(received),
      );
      const waiting = later<void>();
      const wait = () => {
        setImmediate(waiting.resolve);
        return new Promise<never>(() => {});
      };
      const { validate, ...options } = setting?.(wait) ?? {};
      const client = service.client({ ...transport, retry: { limit: 2 }, ...options });
      const schema = validate && ({ "~standard": { version: 1, vendor: "test", validate } } as const);
      const folder = temporaryFolder();
      const { signal, abort } = controlled();
      const stray = await strayRejections(async () => {
        const pending = client.generate(schema ? template("uid", schema) : "uid", {}, { signal });
        const output = end === "abort" ? pending.bytes() : pending.saveTo(join(folder, "a.pdf"));
        const failure = rejectionOf(output);
        if (setting) await waiting.promise;
        else if (answers.length > 0) await service.request(answers.length - 1);
        const reason = new Error("enough");
        if (end === "abort") abort(reason);
        else await pending.cancel(reason);
        expect(await failure).toBe(reason);
        expect(await rejectionOf(pending)).toBe(reason);
      });
      if (!setting) await service.requests.at(-1)?.closed;
      expect(service.requests).toHaveLength(answers.length);
      expect(stray).toEqual([]);
      expect(getEventListeners(signal, "abort")).toEqual([]);
      // The check of the path before the request may still be removing its temporary file.
      await eventuallyEquals(() => readdirSync(folder), []);
    }
  });
});

it.each([
  undefined,
  null,
  "a string",
  new DOMException("too slow", "TimeoutError"),
  new TruncatedPdfError("mine", { receivedBytes: 1, attempts: 7 }),
  Object.assign(new Error("reset"), { code: "ECONNRESET", syscall: "read" }),
])("a cancelled call rejects with the given reason or, by default, an AbortError: %s", async (reason) => {
  const service = await Service.start(silent);
  const client = service.client({ retry: { limit: 1 } });
  const { signal, abort } = controlled();
  const [aborted, cancelled] = [generate(client, { signal }), generate(client)];
  const failures = [rejectionOf(aborted.bytes()), rejectionOf(cancelled.bytes())];
  await service.request(1);
  abort(reason);
  await cancelled.cancel(reason);
  const [abortError, cancelError] = await Promise.all(failures);
  expect(abortError).toBe(signal.reason);
  if (reason === undefined) expect(cancelError).toMatchObject({ name: "AbortError" });
  else expect({ abortError, cancelError }).toEqual({ abortError: reason, cancelError: reason });
  if (reason instanceof TruncatedPdfError) expect(reason.attempts).toBe(7);
  expect(service.requests).toHaveLength(2);
});

it("a cancelled saveTo() leaves either a complete file or no file", async () => {
  const outcomes = new Set<unknown>();
  for (let turnsBefore = 0; turnsBefore < 40; turnsBefore += 2) {
    const service = await Service.start(withLength(pdf));
    const path = join(temporaryFolder(), "a.pdf");
    const { signal, abort } = controlled();
    const saving = generate(service.client(), { signal })
      .saveTo(path)
      .then(
        ({ bytes }) => bytes,
        (error: unknown) => error,
      );
    await service.request();
    await turns(turnsBefore);
    abort("enough");
    const outcome = await saving;
    outcomes.add(outcome);
    expect(["enough", pdf.length]).toContain(outcome);
    const isSaved = outcome === pdf.length;
    expect(readdirSync(join(path, ".."))).toEqual(isSaved ? ["a.pdf"] : []);
    if (isSaved) expect(pdf.equals(readFileSync(path))).toBe(true);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  }
  expect([...outcomes]).toContain("enough");
});

describe("cancelling a document", () => {
  it.each(outputMethods)("makes %s reject with the reason", async (_, read) => {
    const reason = new Error("enough");
    const service = await Service.start(half);
    const { signal, abort } = controlled();
    const arriving = rejectionOf(read(await generate(service.client(), { signal })));
    abort(reason);
    expect(await arriving).toBe(reason);
    await (await service.request()).closed;
    const whole = await Service.start(withLength(pdfOf(2_000)));
    const second = controlled();
    const document = await generate(whole.client(), { signal: second.signal });
    second.abort(reason);
    expect(await rejectionOf((async () => read(document))())).toBe(reason);
  });

  it.each(stages)("closes the socket if cancel() is called on %s", async (stage) => {
    const service = await Service.start(half);
    const pending = generate(service.client());
    const document = await pending;
    const failure = rejectionOf(document.bytes());
    // In an object, because awaiting a pending result would return the document.
    const { cancelled } = { cancelled: stage === "the pending result" ? pending : document };
    await cancelled.cancel(null);
    await cancelled.cancel(new Error("second"));
    expect(await failure).toBe(null);
    await (await service.request()).closed;
  });

  it.each(outputMethods)("has no effect after %s has read the document", async (_, read) => {
    const service = await Service.start(withLength(pdf));
    const error = vi.fn();
    const client = service.client({ hooks: { error } });
    const { signal, abort } = controlled();
    const pending = generate(client, { signal });
    expect(pdf.equals(await read(pending))).toBe(true);
    await pending.cancel(new Error("too late"));
    await (await pending).cancel(new Error("too late"));
    await (await pending)[Symbol.asyncDispose]();
    abort();
    expect((await pending).status).toBe(200);
    // Undici reuses a socket only in the next turn of the event loop.
    await turns();
    await generate(client).bytes();
    expect(service.connections).toBe(1);
    expect(error).not.toHaveBeenCalled();
  });
});

it.each<[string, (abort: () => void) => void, object]>([
  ["the call's signal", (abort) => abort(), { name: "AbortError" }],
  ["timeouts.total", () => vi.advanceTimersByTime(20), { code: "timeout", phase: "total" }],
])("saving an in-memory document is stopped by %s", async (_, end, error) => {
  stopTime();
  const service = await Service.start(withLength(pdfOf(2_000)));
  const { signal, abort } = controlled();
  const document = await generate(service.client({ timeouts: { total: 1_000 } }), { signal });
  while (getEventListeners(signal, "abort").length > 0) await turns();
  const folder = temporaryFolder();
  const saving = rejectionOf(document.saveTo(join(folder, "a.pdf")));
  while (getEventListeners(signal, "abort").length === 0) await turns(1);
  vi.advanceTimersByTime(990);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  end(abort);
  expect(await saving).toMatchObject(error);
  expect(readdirSync(folder)).toEqual([]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("a call with an aborted signal does not send a request or run any hooks", async () => {
  const service = await Service.start(silent);
  const [request, apiKey] = [vi.fn(), vi.fn(() => "key")];
  const client = service.client({ apiKey, hooks: { request } });
  const signal = AbortSignal.abort("before");
  for (const [, read] of outputMethods)
    expect(await rejectionOf(read(generate(client, { signal })))).toBe("before");
  await client.close();
  expect(service.requests).toHaveLength(0);
  const calls = { hook: request.mock.calls, apiKeyFunction: apiKey.mock.calls };
  expect(calls).toEqual({ hook: [], apiKeyFunction: [] });
});
