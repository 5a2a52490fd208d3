import { type PendingPdf, template } from "template-pdf";
import { describe, expect, it } from "vitest";
import { gather, generate } from "../client/output-methods.ts";
import { expectTimeout, passLimit, passTime, stopTime, withoutBackOff } from "../client/timing.ts";
import { beginning, pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";

const pdf = pdfOf(200_000);
const promised = { "content-length": String(pdf.length) };
const half = pdf.subarray(0, 100_000);
const never = Number.POSITIVE_INFINITY;

describe("timeouts.total", () => {
  const limit = { timeouts: { total: 200 } };
  it.each([
    ["ends bytes() before the first byte if set on a client", () => {}, limit, {}],
    ["ends bytes() in the middle of the document if set for a call", beginning(half, promised), {}, limit],
  ] as const)("%s", async (_, answer, ofClient, ofCall) => {
    const service = await Service.start(answer);
    const client = service.client(ofClient);
    stopTime();
    const failure = rejectionOf(generate(client, ofCall).bytes());
    const { closed } = await service.request();
    await passLimit(failure, 200);
    expect(expectTimeout(await failure, "total", 200).attempts).toBe(1);
    await closed;
  });

  it("covers all attempts together, and reports the last attempt's error as the cause", async () => {
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
    await passLimit(failure, 250_000 - 2 * 100_300);
    const error = expectTimeout(await failure, "total", 250_000);
    expect({ attempts: error.attempts, requests: service.requests.length }).toEqual({
      attempts: 3,
      requests: 3,
    });
    expect(error.message).toMatch(/ Tried 3 times\.$/);
    expectTimeout(error.cause, "firstByte", 100_000);
    await Promise.all(service.requests.map(({ closed }) => closed));
  });

  const endless = () => new Promise<never>(() => {});
  const schema = { "~standard": { version: 1 as const, vendor: "tests", validate: endless } };
  it.each([
    ["API key function", { apiKey: endless }, undefined],
    ["schema validation", {}, schema],
  ])("ends a call whose %s never completes", async (_, options, ofTemplate) => {
    const service = await Service.start(withLength(pdf));
    const client = service.client({ ...options, timeouts: { total: 60 } });
    const uid = ofTemplate ? template("inv_2024", ofTemplate) : "inv_2024";
    stopTime();
    const failure = rejectionOf(client.generate(uid as string, {}).bytes());
    await passLimit(failure, 60);
    const error = expectTimeout(await failure, "total", 60);
    expect({ attempts: error.attempts, requests: service.requests.length }).toEqual({
      attempts: 0,
      requests: 0,
    });
  });
});

describe("a `timeouts.total` of 10 minutes", () => {
  /** A call without another limit, whose document stops halfway. */
  const startHalf = async (timeouts: { total?: number } = {}) => {
    const service = await Service.start(beginning(half, promised));
    const others = { firstByte: never, stall: never, unread: never };
    const client = service.client({ timeouts: { ...others, ...timeouts } });
    stopTime();
    return { service, pending: generate(client) };
  };

  const streamed = async (pending: PendingPdf) => gather(await pending.stream());
  it.each<[what: string, timeouts: { total?: number }, read: (pending: PendingPdf) => Promise<Uint8Array>]>([
    ["bytes() by default", {}, (pending) => pending.bytes()],
    ["a stream if the option is set explicitly", { total: 600_000 }, streamed],
  ])("ends %s", async (_, timeouts, read) => {
    const { service, pending } = await startHalf(timeouts);
    const failure = rejectionOf(read(pending));
    await service.request();
    await passLimit(failure, 600_000);
    expectTimeout(await failure, "total", 600_000);
    await (await service.request()).closed;
  });
});
