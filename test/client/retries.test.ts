import { getEventListeners } from "node:events";
import type { ClientOptions, RetryEvent } from "template-pdf";
import { describe, expect, it, vi } from "vitest";
import {
  type Answer,
  cutOffAfter,
  inTurn,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  turns,
  withLength,
} from "../support/service.ts";
import { later } from "../support/sockets.ts";
import { generate, outputMethods } from "./output-methods.ts";
import { countTimers, withoutBackOff } from "./timing.ts";

// test/call/retry-policy.test.ts covers the rules and delays. test/faults covers the retried failures.

/** A document that is small enough to be completely in memory before it is read. */
const pdf = pdfOf(2_000);
const completePdf = withLength(pdf);
const dying: Answer = ({ socket }) => socket.destroy();

async function start(answers: readonly Answer[], options: ClientOptions = {}) {
  const service = await Service.start(inTurn(...answers));
  return { service, client: service.client({ retry: {}, ...options }) };
}

describe("a call", () => {
  it.each(outputMethods)("returns the document from %s after two failed attempts", async (_, read) => {
    withoutBackOff();
    const { service, client } = await start([saying(503), dying, completePdf]);
    expect(pdf.equals(await read(generate(client)))).toBe(true);
    expect(service.requests).toHaveLength(3);
  });

  it("is not retried if the document is larger than `maxBytes`", async () => {
    const { service, client } = await start([completePdf], { maxBytes: 1_000 });
    const error = await rejectionOf(generate(client).bytes());
    expect(error).toMatchObject({ attempts: 1, message: expect.not.stringContaining("Tried") });
    expect(service.requests).toHaveLength(1);
  });

  it("repeats the same request, but calls the API key function for each attempt", async () => {
    withoutBackOff();
    const keys = ["first", "second", "third"];
    const apiKey = async () => keys.shift() ?? "";
    const { service, client } = await start([saying(500, "busy"), saying(500), completePdf], { apiKey });
    const values = { total: "£1,000", lines: [{ text: "ü" }] };
    const bytes = client.generate("inv 2024", values, { headers: { "x-tenant": "7" } }).bytes();
    // Later changes to the values have no effect.
    values.total = "£2,000";
    values.lines.pop();
    await bytes;
    expect(service.keys).toEqual(["API-Key first", "API-Key second", "API-Key third"]);
    const sent = service.requests.map(({ path, headers, body }) => ({
      path,
      headers: { ...headers, authorization: "" },
      body,
    }));
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ total: "£1,000", lines: [{ text: "ü" }] });
    expect(service.connections).toBe(1);
  });

  it("is retried twice by default, or as often as its `retry` option allows", async () => {
    withoutBackOff();
    const { service, client } = await start([saying(503)], { retry: undefined });
    const requests = async (retry?: ClientOptions["retry"]) => {
      const before = service.requests.length;
      const error = await rejectionOf(generate(client, { retry }).bytes());
      const attempts = service.requests.length - before;
      expect(error).toMatchObject({ attempts });
      expect((error as Error).message.endsWith(` Tried ${attempts} times.`)).toBe(attempts > 1);
      return attempts;
    };
    expect({
      byDefault: await requests(),
      withLimitOf3: await requests({ limit: 3 }),
      withoutRetries: await requests(false),
    }).toEqual({ byDefault: 3, withLimitOf3: 4, withoutRetries: 1 });
  });
});

describe("the delay before a retry", () => {
  const startWaiting = async (...answers: Answer[]) => {
    const { promise: waiting, resolve: retry } = later<RetryEvent>();
    return { ...(await start(answers, { hooks: { retry } })), waiting };
  };

  it("equals Retry-After or is random", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.1);
    const delaysMs: number[] = [];
    const atMs: number[] = [];
    const hooks = {
      retry: ({ delayMs }: RetryEvent) => void delaysMs.push(delayMs),
      request: () => void atMs.push(performance.now()),
    };
    const refused = saying(429, "", { "retry-after": "0.2" });
    const { client } = await start([refused, saying(503), completePdf], { hooks });
    expect((await generate(client)).attempts).toBe(3);
    random.mockRestore();
    const [first = 0, second = 0, third = 0] = atMs;
    expect(delaysMs).toEqual([200, 100]);
    expect(second - first).toBeGreaterThanOrEqual(200);
    expect(third - second).toBeGreaterThanOrEqual(100);
  });

  it.each<[string, Answer, "abort" | "cancel"]>([
    ["an error response", saying(503, "", { "retry-after": "30" }), "abort"],
    ["a truncated document", cutOffAfter(pdf, 1_500), "cancel"],
  ])("can be cancelled after %s", async (_, answer, end) => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.999_999);
    const { service, client, waiting } = await startWaiting(answer);
    const controller = new AbortController();
    const timers = countTimers();
    const pending = generate(client, { signal: controller.signal });
    const failure = rejectionOf(pending.bytes());
    await waiting;
    // The delay begins when the failed attempt has ended.
    await turns(20);
    random.mockRestore();
    const reason = new Error("the customer left");
    if (end === "abort") controller.abort(reason);
    else await pending.cancel(reason);
    expect(await failure).toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    expect(countTimers()).toBeLessThanOrEqual(timers);
    // close() would wait for the call if it had not ended.
    await client.close();
    expect(service.requests).toHaveLength(1);
  });
});

it("40 concurrent calls with retries never mix up their keys, headers or documents", async () => {
  const tries = new Map<string, number>();
  const rejectionsOf = (number: number) => Math.floor(number / 3) % 3;
  const service = await Service.start((received) => {
    const { tenant, number } = JSON.parse(received.body) as { tenant: string; number: number };
    const { authorization, "x-tenant": header } = received.headers;
    const isOwn = authorization === `API-Key key-of-${tenant}` && header === tenant;
    const count = (tries.get(received.body) ?? 0) + 1;
    tries.set(received.body, count);
    if (count <= rejectionsOf(number)) return saying(503, "", { "retry-after": "0" })(received);
    return (isOwn ? withLength(pdfOf(2_000 + number)) : saying(400))(received);
  });
  const soon = (key: string) => () => new Promise<string>((resolve) => setImmediate(resolve, key));
  const optionsOf = (tenant: string, apiKey: ClientOptions["apiKey"]) => {
    return { apiKey, headers: { "x-tenant": tenant }, retry: { limit: 2 } };
  };
  const first = service.client(optionsOf("0", "key-of-0"));
  const others = [first.with(optionsOf("1", "key-of-1")), first.with(optionsOf("2", soon("key-of-2")))];
  const results = await Promise.all(
    Array.from({ length: 40 }, async (_, number) => {
      const client = [first, ...others][number % 3] ?? first;
      const document = await client.generate("uid", { tenant: String(number % 3), number });
      return [document.attempts, (await document.bytes()).length];
    }),
  );
  expect(results).toEqual(results.map((_, number) => [1 + rejectionsOf(number), 2_000 + number]));
});
