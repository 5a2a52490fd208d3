import { ApiError, template } from "template-pdf";
import { describe, expect, it } from "vitest";
import { forms, gather, generate, iterable } from "../client/every-form.ts";
import {
  expectTimeout,
  passTime,
  stopTime,
  streamForms,
  wholeForms,
  withoutBackOff,
} from "../client/timing.ts";
import { beginning, pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };
const half = pdf.subarray(0, 100_000);
const never = Number.POSITIVE_INFINITY;

describe("timeouts.total", () => {
  it.each(forms)("ends %s before the first byte, and its socket", async (_, read) => {
    const service = await Service.start(() => {});
    const client = service.client({ timeouts: { total: 250 } });
    const error = expectTimeout(await rejectionOf(read(generate(client))), "total", 250);
    expect(error.attempts).toBe(1);
    await (await service.request()).closed;
  });

  it.each(forms)("that was given ends %s in the midst of the document, and its socket", async (_, read) => {
    const service = await Service.start(beginning(half, promised));
    for (const given of ["client", "call"] as const) {
      const limits = { timeouts: { total: 120 } };
      const client = service.client({ ...(given === "client" && limits) });
      const pending = generate(client, given === "call" ? limits : {});
      expectTimeout(await rejectionOf(read(pending)), "total", 120);
      await (await service.request(given === "client" ? 0 : 1)).closed;
    }
  });

  it("counts all attempts, and tells what the last of them failed with", async () => {
    withoutBackOff();
    const service = await Service.start(() => {});
    stopTime();
    const client = service.client({
      timeouts: { firstByte: 100_000, total: 250_000 },
      retry: { limit: 1_000 },
    });
    const failure = rejectionOf(generate(client).bytes());
    for (const attempt of [0, 1]) {
      await service.request(attempt);
      await passTime(100_300);
    }
    await service.request(2);
    await passTime(51_000);
    const error = expectTimeout(await failure, "total", 250_000);
    expect([error.attempts, service.requests.length]).toEqual([3, 3]);
    expect(error.message).toMatch(/ Tried 3 times\.$/);
    expectTimeout(error.cause, "firstByte", 100_000);
    await Promise.all(service.requests.map(({ closed }) => closed));
  });

  it("counts the waits between them, too: one that would use it up is not begun", async () => {
    const service = await Service.start(saying(503, "", { "retry-after": "30" }));
    const client = service.client({ timeouts: { total: 20_000 }, retry: { limit: 5 } });
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && [error.status, error.attempts, error.retryAfterMs]).toEqual([
      503, 1, 30_000,
    ]);
    expect((error as Error).message).toMatch(
      / Not tried again: after a wait of 30 s, nothing would be left of `timeouts\.total`\.$/,
    );
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ["4", "a wait"],
    ["5", "the end"],
  ])("leaves to a wait what is left of it by then, whenever the call began: %s s", async (seconds, next) => {
    stopTime();
    await passTime(100_000);
    const service = await Service.start(() => {});
    let hooks = {};
    const told = new Promise((resolve) => {
      hooks = { retry: () => resolve("a wait"), error: () => resolve("the end") };
    });
    const client = service.client({ hooks, timeouts: { total: 20_000 }, retry: { limit: 1 } });
    const pending = generate(client);
    const failure = rejectionOf(pending.bytes());
    const { response } = await service.request();
    await passTime(15_000);
    response.writeHead(503, { "retry-after": seconds }).end();
    expect(await told).toBe(next);
    await pending.cancel();
    await failure;
  });

  it("ends a call whose key never comes", async () => {
    const service = await Service.start(withLength(pdf));
    const apiKey = () => new Promise<string>(() => {});
    const client = service.client({ apiKey, timeouts: { total: 60 } });
    const error = expectTimeout(await rejectionOf(generate(client).bytes()), "total", 60);
    expect([error.attempts, service.requests.length]).toEqual([0, 0]);
  });

  it("ends a call whose schema never has checked the values", async () => {
    const service = await Service.start(withLength(pdf));
    const schema = {
      "~standard": { version: 1 as const, vendor: "tests", validate: () => new Promise<never>(() => {}) },
    };
    const client = service.client({ timeouts: { total: 60 } });
    const pending = client.generate(template("inv_2024", schema), {});
    expectTimeout(await rejectionOf(pending), "total", 60);
    expect(service.requests).toHaveLength(0);
  });
});

describe("timeouts.total that nobody gave", () => {
  /** A call whose document stands still after its first half, with nothing else to end it. */
  const startHalf = async (timeouts: { total?: number } = {}) => {
    const service = await Service.start(beginning(half, promised));
    const client = service.client({
      timeouts: { firstByte: never, stall: never, unread: never, ...timeouts },
    });
    stopTime();
    return { service, pending: generate(client) };
  };

  it.each(wholeForms)("ends %s after 10 minutes", async (_, read) => {
    const { service, pending } = await startHalf();
    const failure = rejectionOf(read(pending));
    await service.request();
    await passTime(590_000);
    await passTime(11_000);
    expectTimeout(await failure, "total", 600_000);
    await (await service.request()).closed;
  });

  it("ends a document that is awaited and not read, after 10 minutes", async () => {
    const { service, pending } = await startHalf();
    const document = await pending;
    await passTime(601_000);
    await (await service.request()).closed;
    expectTimeout(await rejectionOf(document.bytes()), "total", 600_000);
  });

  it.each(streamForms)("does not concern %s once it was handed over", async (form) => {
    const { service, pending } = await startHalf();
    const chunks = {
      "stream()": async () => iterable(await pending.stream()),
      "nodeStream()": async () => pending.nodeStream(),
      "response()": async () => iterable((await pending.response()).body as ReadableStream<Uint8Array>),
      iteration: async () => {
        const iterator = pending[Symbol.asyncIterator]();
        const first = await iterator.next();
        return (async function* () {
          yield first.value as Uint8Array;
          yield* { [Symbol.asyncIterator]: () => iterator };
        })();
      },
    }[form];
    if (!chunks) throw new Error(`No way to hand over ${form}.`);
    const rest = gather(await chunks());
    await passTime(3_600_000);
    const { response } = await service.request();
    response.end(pdf.subarray(100_000));
    expect(pdf.equals(await rest)).toBe(true);
  });

  it.each(streamForms)("does concern %s where it was given, though it is the default", async (_, read) => {
    const { service, pending } = await startHalf({ total: 600_000 });
    const failure = rejectionOf(read(pending));
    await service.request();
    await passTime(601_000);
    expectTimeout(await failure, "total", 600_000);
    await (await service.request()).closed;
  });
});
