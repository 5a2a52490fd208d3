import { type ClientOptions, ConfigurationError, ConnectionError } from "template-pdf";
import { beforeEach, describe, expect, it } from "vitest";
import { type Answer, inTurn, pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { closedOrigin } from "../support/sockets.ts";
import { generate, outputMethods } from "./every-form.ts";
import { withoutBackOff } from "./timing.ts";

// For the failures that are retried see test/call/retry-policy.test.ts (status codes) and test/faults.

const pdf = pdfOf(200_000);
const completePdf = withLength(pdf);
const dying: Answer = ({ socket }) => socket.destroy();

async function start(answers: readonly Answer[], options: ClientOptions = {}) {
  const service = await Service.start(inTurn(...answers));
  return { service, client: service.client({ retry: {}, ...options }) };
}

beforeEach(withoutBackOff);

describe("a call", () => {
  it.each(outputMethods)("returns the document of the successful attempt from %s", async (_, read) => {
    const { service, client } = await start([saying(503), dying, completePdf]);
    expect(pdf.equals(await read(generate(client)))).toBe(true);
    expect(service.requests).toHaveLength(3);
  });

  it.each<[string, Answer, ClientOptions]>([
    ["a 404", saying(404), {}],
    ["a document larger than `maxBytes`", completePdf, { maxBytes: 1_000 }],
  ])("does not retry %s", async (_, answer, options) => {
    const { service, client } = await start([answer], options);
    const error = await rejectionOf(generate(client).bytes());
    expect(error).toMatchObject({ attempts: 1, message: expect.not.stringContaining("Tried") });
    expect(service.requests).toHaveLength(1);
  });

  it("sends the same path, headers and body again", async () => {
    const { service, client } = await start([saying(500), saying(500), completePdf]);
    const values = { total: "£1,000", lines: [{ text: "ü" }] };
    const bytes = client.generate("inv 2024", values, { headers: { "x-tenant": "7" } }).bytes();
    // Later changes to the values have no effect.
    values.total = "£2,000";
    values.lines.pop();
    await bytes;
    const sent = service.requests.map(({ path, headers, body }) => ({ path, headers, body }));
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ total: "£1,000", lines: [{ text: "ü" }] });
  });

  it("is retried twice by default, and as often as its `retry` option allows", async () => {
    const { service, client } = await start([saying(503)], { retry: undefined });
    const requests = async (retry?: ClientOptions["retry"]) => {
      const before = service.requests.length;
      const error = await rejectionOf(generate(client, { retry }).bytes());
      const attempts = service.requests.length - before;
      expect(error).toMatchObject({ attempts });
      expect((error as Error).message.endsWith(` Tried ${attempts} times.`)).toBe(attempts > 1);
      return attempts;
    };
    expect([await requests(), await requests({ limit: 3 }), await requests(false)]).toEqual([3, 4, 1]);
  });

  it("reuses the connection after an error response that was read completely", async () => {
    const { service, client } = await start([saying(503, "busy"), completePdf]);
    await generate(client).bytes();
    expect(service.requests[0]?.socket).toBe(service.requests[1]?.socket);
    expect(service.connections).toBe(1);
  });

  it("is retried if the error of a custom `fetch` shows that the request was not sent", async () => {
    const baseUrl = await closedOrigin();
    const errorOf = async (fetch: typeof globalThis.fetch) => {
      const { client } = await start([completePdf], { baseUrl, fetch, retry: { mayRenderTwice: false } });
      return (await rejectionOf(generate(client).bytes())) as ConnectionError;
    };
    const errors = [
      await errorOf(globalThis.fetch),
      await errorOf(() => Promise.reject(new TypeError("fetch failed"))),
    ];
    expect(errors.map((error) => ConnectionError.is(error) && error.attempts)).toEqual([3, 1]);
    expect(errors[0]?.message).toMatch(/^Could not reach .* Tried 3 times\.$/);
  });
});

describe("an API key function", () => {
  it("is called once for each attempt, which sends its key", async () => {
    const keys = ["first", "second", "third"];
    let calls = 0;
    const apiKey = async () => keys[calls++] ?? "";
    const { service, client } = await start([saying(503), dying, completePdf], { apiKey });
    await generate(client).bytes();
    expect(calls).toBe(3);
    expect(service.keys).toEqual(keys.map((key) => `API-Key ${key}`));
  });

  const thrown = /TypeError after 1 attempt.*catch it in that function/;
  it.each<[string, () => string | Promise<string>, RegExp, object]>([
    ["throws", () => Promise.reject(new TypeError("sk-secret")), thrown, { cause: { status: 503 } }],
    ["returns no key", () => "", /is empty/, {}],
  ])("that %s at the second attempt ends the call", async (_, fail, message, facts) => {
    let calls = 0;
    const apiKey = async () => (++calls === 1 ? "good" : fail());
    const { service, client } = await start([saying(503)], { apiKey, retry: { limit: 5 } });
    const error = (await rejectionOf(generate(client).bytes())) as ConfigurationError;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: "invalid_configuration", attempts: 1, ...facts });
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/sk-secret|before the request/);
    expect([calls, service.requests.length]).toEqual([2, 1]);
  });

  it("supplies only the key of its own client in 300 concurrent calls with retries", async () => {
    const tries = new Map<string, number>();
    const wrong: string[] = [];
    const service = await Service.start((received) => {
      const { tenant, number } = JSON.parse(received.body) as { tenant: string; number: number };
      const { authorization } = received.headers;
      if (authorization !== `API-Key key-of-${tenant}` || received.headers["x-tenant"] !== tenant) {
        wrong.push(`${authorization} for ${tenant}`);
      }
      const count = (tries.get(received.body) ?? 0) + 1;
      tries.set(received.body, count);
      // Each call is rejected 0, 1 or 2 times, depending on its number.
      return (count <= number % 3 ? saying(503, "", { "retry-after": "0" }) : completePdf)(received);
    });
    const later = (key: string) => () => new Promise<string>((resolve) => setImmediate(resolve, key));
    const optionsOf = (tenant: string, apiKey: string | (() => Promise<string>)) => {
      return { apiKey, headers: { "x-tenant": tenant }, retry: { limit: 2 } };
    };
    const first = service.client(optionsOf("0", "key-of-0"));
    const tenants = [
      first,
      service.client(optionsOf("1", later("key-of-1"))),
      first.with(optionsOf("2", "key-of-2")),
      first.with(optionsOf("3", later("key-of-3"))),
    ];
    const attempts = await Promise.all(
      Array.from({ length: 300 }, async (_, number) => {
        const tenant = String(number % 4);
        const document = await tenants[number % 4]?.generate("uid", { tenant, number });
        await document?.bytes();
        return document?.attempts;
      }),
    );
    expect(wrong).toEqual([]);
    expect(attempts).toEqual(Array.from({ length: 300 }, (_, number) => 1 + (number % 3)));
  });
});
