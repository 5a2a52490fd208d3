import { once } from "node:events";
import { createServer } from "node:http";
import { ApiError, type ClientOptions, ConfigurationError, ConnectionError } from "template-pdf";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Answer, pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { listen } from "../support/sockets.ts";
import { forms, generate } from "./every-form.ts";
import { withoutBackOff } from "./timing.ts";

// Which failures are retried: test/call/retry-policy.test.ts says it of every status, test/faults of every fault.

const pdf = pdfOf(200_000);
const whole = withLength(pdf);
const dying: Answer = ({ socket }) => socket.destroy();

/** A service that gives each request the next of these answers, and the last of them to the rest. */
async function start(answers: readonly Answer[], options: ClientOptions = {}) {
  let count = 0;
  const service = await Service.start((received) =>
    answers[Math.min(count++, answers.length - 1)]?.(received),
  );
  return { service, client: service.client({ retry: {}, ...options }) };
}

beforeEach(withoutBackOff);

describe("a call", () => {
  it("retries a 503 and gives the document of the second attempt", async () => {
    const { service, client } = await start([saying(503), whole]);
    const document = await generate(client);
    expect([document.attempts, document.status]).toEqual([2, 200]);
    expect(pdf.equals(await document.bytes())).toBe(true);
    expect(service.requests).toHaveLength(2);
  });

  it.each(forms)("gives %s of the attempt that succeeded", async (_, read) => {
    const { service, client } = await start([saying(503), dying, whole]);
    expect(pdf.equals(await read(generate(client)))).toBe(true);
    expect(service.requests).toHaveLength(3);
  });

  it.each<[string, Answer, ClientOptions]>([
    ["a 404", saying(404), {}],
    ["a 503 if `mayRenderTwice` is false", saying(503), { retry: { mayRenderTwice: false } }],
    ["a document larger than `maxBytes`", whole, { maxBytes: 1_000 }],
    ["a 200 that is not a PDF", saying(200, "<html>"), {}],
  ])("does not retry %s", async (_, answer, options) => {
    const { service, client } = await start([answer], options);
    const error = await rejectionOf(generate(client).bytes());
    expect(error).toMatchObject({ attempts: 1, message: expect.not.stringContaining("Tried") });
    expect(service.requests).toHaveLength(1);
  });

  it("sends the same path, headers and body again", async () => {
    const { service, client } = await start([saying(500), saying(500), whole]);
    const values = { total: "£1,000", lines: [{ text: "ü" }] };
    const bytes = client.generate("inv 2024", values, { headers: { "x-tenant": "7" } }).bytes();
    // What is changed afterwards does not matter.
    values.total = "£2,000";
    await bytes;
    const sent = service.requests.map(({ path, headers, body }) => ({ path, headers, body }));
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ total: "£1,000", lines: [{ text: "ü" }] });
  });

  it("is retried twice by default, and as often as its own `retry` says", async () => {
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

  it("reports how often it was tried if the last attempt failed for good", async () => {
    const { client } = await start([saying(503), saying(404)]);
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && [error.status, error.attempts]).toEqual([404, 2]);
    expect((error as Error).message).toMatch(/ Tried 2 times\.$/);
  });

  it("reuses its connection if the error response was read to its end", async () => {
    const { service, client } = await start([saying(503, "busy"), whole]);
    await generate(client).bytes();
    expect(service.requests[0]?.socket).toBe(service.requests[1]?.socket);
    expect(service.connections).toBe(1);
  });

  it("frees the connection of every attempt whose response was too long to read", async () => {
    const { service, client } = await start([saying(503, Buffer.alloc(300_000))]);
    await rejectionOf(generate(client).bytes());
    expect(service.requests).toHaveLength(3);
    await Promise.all(service.requests.map(({ closed }) => closed));
  });
});

describe("an API key function", () => {
  it("is called once for every attempt, and its key is sent", async () => {
    const keys = ["first", "second", "third"];
    let calls = 0;
    const apiKey = async () => keys[calls++] ?? "";
    const { service, client } = await start([saying(503), dying, whole], { apiKey });
    await generate(client).bytes();
    expect(calls).toBe(3);
    const sent = service.requests.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(keys.map((key) => `API-Key ${key}`));
  });

  it.each<[string, () => string | Promise<string>, RegExp]>([
    ["throws", () => Promise.reject(new TypeError("sk-secret")), /TypeError.*Tried once before/],
    ["returns no key", () => "", /is empty/],
  ])("that %s for the second attempt ends the call", async (_, fail, message) => {
    let calls = 0;
    const apiKey = async () => (++calls === 1 ? "good" : fail());
    const { service, client } = await start([saying(503)], { apiKey, retry: { limit: 5 } });
    const error = await rejectionOf(generate(client).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ attempts: 1, message: expect.stringMatching(message) });
    expect((error as Error).message).not.toMatch(/sk-secret|Nothing was sent/);
    expect([calls, service.requests.length]).toEqual([2, 1]);
  });

  it("of one client never supplies the key of another, in 300 concurrent calls that are retried", async () => {
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
      // Each call meets with as many refusals as its number says: none, one or two.
      return (count <= number % 3 ? saying(503, "", { "retry-after": "0" }) : whole)(received);
    });
    const clientOf = (tenant: string, apiKey: string | (() => Promise<string>)) =>
      service.client({ apiKey, headers: { "x-tenant": tenant }, retry: { limit: 2 } });
    const later = (key: string) => () => new Promise<string>((resolve) => setImmediate(resolve, key));
    const first = clientOf("0", "key-of-0");
    const tenants = [
      first,
      clientOf("1", later("key-of-1")),
      first.with({ apiKey: "key-of-2", headers: { "x-tenant": "2" } }),
      first.with({ apiKey: later("key-of-3"), headers: { "x-tenant": "3" } }),
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

describe("a request that was not sent", () => {
  /** A port that refuses connections until it is opened. */
  const refusing = async () => {
    const probe = await listen(() => {});
    await probe.close();
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.end(pdf));
    });
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const open = async () => {
      if (server.listening) return;
      server.listen(probe.port, "127.0.0.1");
      await once(server, "listening");
    };
    return { baseUrl: probe.origin, open };
  };
  const clientOf = async (options: ClientOptions) =>
    (await Service.start(() => {})).client({ retry: { mayRenderTwice: false }, ...options });

  it("is retried until the port is open, also if `mayRenderTwice` is false", async () => {
    const { baseUrl, open } = await refusing();
    const failures: unknown[] = [];
    const client = await clientOf({
      baseUrl,
      retry: { limit: 1_000, mayRenderTwice: false },
      hooks: { retry: ({ error }) => void (failures.push(error) === 3 && open()) },
    });
    const document = await generate(client);
    expect(document.attempts).toBe(failures.length + 1);
    expect(failures.length).toBeGreaterThanOrEqual(3);
    expect(failures.every((error) => ConnectionError.is(error))).toBe(true);
    expect(pdf.equals(await document.bytes())).toBe(true);
  });

  it("fails with how often it was tried", async () => {
    const { baseUrl } = await refusing();
    const error = await rejectionOf(generate(await clientOf({ baseUrl })).bytes());
    expect(ConnectionError.is(error) && error.attempts).toBe(3);
    expect((error as Error).message).toMatch(/^Could not reach .* Tried 3 times\.$/);
  });

  it("is recognised from the error of a `fetch` if that says so", async () => {
    const { baseUrl } = await refusing();
    const attempts = async (fetch: typeof globalThis.fetch) => {
      const error = await rejectionOf(generate(await clientOf({ baseUrl, fetch })).bytes());
      return ConnectionError.is(error) && error.attempts;
    };
    const silentFetch = () => Promise.reject(new TypeError("fetch failed"));
    expect([await attempts(globalThis.fetch), await attempts(silentFetch)]).toEqual([3, 1]);
  });
});
