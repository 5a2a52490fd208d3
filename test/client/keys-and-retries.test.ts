import { createServer } from "node:http";
import { ConfigurationError } from "template-pdf";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { open } from "../support/sockets.ts";
import { generate } from "./every-form.ts";

const pdf = pdfOf(2_000);

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0.01);
  onTestFinished(() => void vi.restoreAllMocks());
});

describe("the API key", () => {
  it("source is asked once for every attempt, and a rotated key is sent", async () => {
    const service = await Service.start(saying(503));
    const apiKey = vi.fn(async () => `key-${apiKey.mock.calls.length}`);
    await rejectionOf(generate(service.client({ apiKey, retry: { limit: 2 } })).bytes());
    expect(apiKey).toHaveBeenCalledTimes(3);
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      "API-Key key-1",
      "API-Key key-2",
      "API-Key key-3",
    ]);
  });

  it("source that fails for a second attempt ends the call, without its words and what they quote", async () => {
    const service = await Service.start(saying(503));
    let asked = 0;
    const apiKey = async () => {
      if (asked++ > 0) throw new TypeError("CANARY");
      return "first-key";
    };
    const error = await rejectionOf(generate(service.client({ apiKey, retry: { limit: 2 } })).bytes());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      attempts: 1,
      message: expect.stringMatching(/TypeError.*Tried once before/),
    });
    expect(asked).toBe(2);
  });

  it("of one client is never sent for another, in 300 calls at once that are tried again", async () => {
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
      return (count <= number % 3 ? saying(503, "", { "retry-after": "0" }) : withLength(pdf))(received);
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
    const results = await Promise.all(
      Array.from({ length: 300 }, async (_, number) => {
        const tenant = String(number % 4);
        const document = await tenants[number % 4]?.generate("uid", { tenant, number });
        return [document?.attempts, (await document?.bytes())?.length];
      }),
    );
    expect(wrong).toEqual([]);
    expect(results).toEqual(Array.from({ length: 300 }, (_, number) => [1 + (number % 3), 2_000]));
    expect(service.requests).toHaveLength(600);
  });

  it.each([301, 302, 303, 307, 308])(
    "does not follow a redirect (%i), not even to the same place",
    async (status) => {
      const reached: unknown[] = [];
      const elsewhere = await open(
        createServer((request, response) => {
          reached.push(request.headers);
          response.end(pdf);
        }),
      );
      onTestFinished(() => elsewhere.close());
      for (const target of [`${elsewhere.origin}/a`, "/a", `//127.0.0.1:${elsewhere.port}/a`]) {
        const service = await Service.start(saying(status, "", { location: target }));
        const error = await rejectionOf(generate(service.client({ retry: { limit: 2 } })).bytes());
        expect(error).toMatchObject({ code: "api_error", status, attempts: 1 });
        expect(service.requests).toHaveLength(1);
      }
      expect(reached).toEqual([]);
    },
  );

  it("and headers and uid with a control character are refused, whatever it is, and nothing is sent", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client();
    const controls = [...Array.from({ length: 32 }, (_, code) => code), 127];
    for (const code of controls) {
      const character = String.fromCharCode(code);
      for (const text of [`a${character}b`, `${character}ab`, `ab${character}`, `a${character}\nx-b: c`]) {
        const tabInHeader = code === 9 && !text.includes("\n");
        expect(() => service.client({ apiKey: text })).toThrow(ConfigurationError);
        expect(() => service.client({ headers: { [text]: "a" } })).toThrow(ConfigurationError);
        if (!tabInHeader) {
          expect(() => service.client({ headers: { "x-a": text } })).toThrow(ConfigurationError);
        }
        const failures = [
          client.generate(text, {}),
          generate(client.with({ apiKey: () => text })),
          generate(client, { headers: { [text]: "a" } }),
          ...(tabInHeader ? [] : [generate(client, { headers: { "x-a": text } })]),
        ];
        for (const error of await Promise.all(failures.map((pending) => rejectionOf(pending.bytes())))) {
          expect(error).toBeInstanceOf(ConfigurationError);
        }
      }
    }
    expect(service.requests).toEqual([]);
  });
});
