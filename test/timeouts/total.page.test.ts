import { template } from "template-pdf";
import { describe, expect, it } from "vitest";
import { outputMethods as forms, gather, generate, streamOutputs } from "../client/every-form.ts";
import {
  expectTimeout,
  passTime,
  stopTime,
  streamMethods as streamForms,
  wholeDocumentMethods as wholeForms,
  withoutBackOff,
} from "../client/timing.ts";
import { beginning, pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { later } from "../support/sockets.ts";

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };
const half = pdf.subarray(0, 100_000);
const never = Number.POSITIVE_INFINITY;

describe("timeouts.total", () => {
  it.each(forms)("ends %s before the first byte and in the middle of the document", async (_, read) => {
    const limit = { timeouts: { total: 200 } };
    for (const [answer, ofClient, ofCall] of [
      [() => {}, limit, {}],
      [beginning(half, promised), limit, {}],
      [beginning(half, promised), {}, limit],
    ] as const) {
      const service = await Service.start(answer);
      const pending = generate(service.client(ofClient), ofCall);
      expect(expectTimeout(await rejectionOf(read(pending)), "total", 200).attempts).toBe(1);
      // On a busy machine, the request may not have arrived.
      await Promise.all(service.requests.map(({ closed }) => closed));
    }
  });

  it("limits all attempts together, and its error has the last error as its cause", async () => {
    withoutBackOff();
    const service = await Service.start(() => {});
    stopTime();
    const timeouts = { firstByte: 100_000, total: 250_000 };
    const client = service.client({ timeouts, retry: { limit: 1_000 } });
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

  it.each([
    ["4", "a retry"],
    ["5", "an error"],
  ])("allows a retry delay only if it ends before the limit: %s s of 5 s", async (seconds, next) => {
    stopTime();
    await passTime(100_000);
    const service = await Service.start(() => {});
    const { promise: event, resolve } = later<string>();
    const hooks = { retry: () => resolve("a retry"), error: () => resolve("an error") };
    const client = service.client({ hooks, timeouts: { total: 20_000 }, retry: { limit: 1 } });
    const pending = generate(client);
    const failure = rejectionOf(pending.bytes());
    const { response } = await service.request();
    await passTime(15_000);
    response.writeHead(503, { "retry-after": seconds }).end();
    expect(await event).toBe(next);
    await pending.cancel();
    await failure;
  });

  const endless = () => new Promise<never>(() => {});
  const schema = { "~standard": { version: 1 as const, vendor: "tests", validate: endless } };
  it.each([
    ["API key function", { apiKey: endless }, undefined],
    ["schema", {}, schema],
  ])("ends a call whose %s never completes", async (_, options, ofTemplate) => {
    const service = await Service.start(withLength(pdf));
    const client = service.client({ ...options, timeouts: { total: 60 } });
    const uid = ofTemplate ? template("inv_2024", ofTemplate) : "inv_2024";
    const error = expectTimeout(await rejectionOf(client.generate(uid as string, {}).bytes()), "total", 60);
    expect([error.attempts, service.requests.length]).toEqual([0, 0]);
  });
});

describe("The default of timeouts.total", () => {
  /** A call without another limit, whose document stops halfway. */
  const startHalf = async (timeouts: { total?: number } = {}) => {
    const service = await Service.start(beginning(half, promised));
    const others = { firstByte: never, stall: never, unread: never };
    const client = service.client({ timeouts: { ...others, ...timeouts } });
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

  it("ends an awaited document that is not read, after 10 minutes", async () => {
    const { service, pending } = await startHalf();
    const document = await pending;
    await passTime(601_000);
    await (await service.request()).closed;
    expectTimeout(await rejectionOf(document.bytes()), "total", 600_000);
  });

  it.each(streamOutputs)("does not limit %s after it was returned", async (_, open) => {
    const { service, pending } = await startHalf();
    const rest = gather(await open(pending));
    await passTime(3_600_000);
    const { response } = await service.request();
    response.end(pdf.subarray(100_000));
    expect(pdf.equals(await rest)).toBe(true);
  });

  it("does not limit an iteration after its first chunk", async () => {
    const { service, pending } = await startHalf();
    const iterator = pending[Symbol.asyncIterator]();
    const { value: first } = await iterator.next();
    const rest = gather({ [Symbol.asyncIterator]: () => iterator });
    await passTime(3_600_000);
    const { response } = await service.request();
    response.end(pdf.subarray(100_000));
    expect(pdf.equals(Buffer.concat([first as Uint8Array, await rest]))).toBe(true);
  });

  it.each(streamForms)("limits %s if the option was set, even to the default value", async (_, read) => {
    const { service, pending } = await startHalf({ total: 600_000 });
    const failure = rejectionOf(read(pending));
    await service.request();
    await passTime(601_000);
    expectTimeout(await failure, "total", 600_000);
    await (await service.request()).closed;
  });
});
