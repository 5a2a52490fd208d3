import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  ApiError,
  type ClientOptions,
  ConfigurationError,
  ConnectionError,
  InvalidPdfError,
  OversizedPdfError,
  SaveError,
  TemplatePdfError,
  ValuesError,
} from "template-pdf";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Answer, pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { listen } from "../support/sockets.ts";
import { forms, generate, temporaryFolder } from "./every-form.ts";
import { withoutBackOff } from "./timing.ts";

const pdf = pdfOf(200_000);
const whole = withLength(pdf);
const passing = [408, 429, 500, 502, 503, 504];
const lasting = [
  300, 301, 302, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 409, 410, 411, 412, 413, 415,
];
const others = [417, 418, 422, 423, 424, 425, 426, 428, 431, 451, 501, 505, 507, 508, 511, 520, 529, 599];

/** Gives each request the next of these answers, and the last of them to the rest. */
function inTurn(...answers: Answer[]): Answer {
  let count = 0;
  return (received) => answers[Math.min(count++, answers.length - 1)]?.(received);
}

const dying: Answer = ({ socket }) => socket.destroy();
const silent: Answer = () => {};

beforeEach(withoutBackOff);

describe("a call that may be tried again", () => {
  const start = async (answer: Answer, more: ClientOptions = {}) => {
    const service = await Service.start(answer);
    return { service, client: service.client({ retry: {}, ...more }) };
  };

  it.each(passing)("is, after a %d", async (status) => {
    const { service, client } = await start(inTurn(saying(status), whole));
    const document = await generate(client);
    expect([document.attempts, document.status]).toEqual([2, 200]);
    expect(pdf.equals(await document.bytes())).toBe(true);
    expect(service.requests).toHaveLength(2);
  });

  it.each(passing)("is not after a %d, where nothing may be rendered twice", async (status) => {
    const { service, client } = await start(saying(status), { retry: { mayRenderTwice: false } });
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && [error.status, error.attempts]).toEqual([status, 1]);
    expect((error as Error).message).not.toContain("Tried");
    expect(service.requests).toHaveLength(1);
  });

  it.each([...lasting, ...others])("is not after a %d", async (status) => {
    const { service, client } = await start(saying(status));
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && [error.status, error.attempts]).toEqual([status, 1]);
    expect(service.requests).toHaveLength(1);
  });

  it("is not after a 421, but fetch itself sends it once more (Fetch standard, HTTP-network-or-cache fetch)", async () => {
    const { service, client } = await start(saying(421));
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && [error.status, error.attempts]).toEqual([421, 1]);
    expect(service.requests.length).toBeLessThanOrEqual(client.transport === "fetch" ? 2 : 1);
  });

  it.each(forms)("gives %s of the attempt that went well", async (_, read) => {
    const { service, client } = await start(inTurn(saying(503), dying, whole));
    expect(pdf.equals(await read(generate(client)))).toBe(true);
    expect(service.requests).toHaveLength(3);
  });

  const setbacks: readonly (readonly [string, Answer, ClientOptions["timeouts"]])[] = [
    ["whose connection died after it was sent", dying, {}],
    ["that got no first byte", silent, { firstByte: 80 }],
    ["whose document stalled before it began", ({ response }) => response.write("%PD"), { stall: 80 }],
    [
      "whose document broke before it began",
      ({ response }) => response.write("%PD", () => response.destroy()),
      {},
    ],
  ];

  it.each(setbacks)("%s, is tried again", async (_, answer, timeouts) => {
    const { service, client } = await start(inTurn(answer, whole), { timeouts });
    const document = await generate(client);
    expect([document.attempts, pdf.equals(await document.bytes())]).toEqual([2, true]);
    await service.requests[0]?.closed;
  });

  it.each(setbacks)("%s, is not where nothing may be rendered twice", async (_, answer, timeouts) => {
    const { service, client } = await start(answer, { timeouts, retry: { mayRenderTwice: false } });
    const error = await rejectionOf(generate(client).bytes());
    expect(TemplatePdfError.is(error) && error.attempts).toBe(1);
    await service.requests[0]?.closed;
    expect(service.requests).toHaveLength(1);
  });

  it("sends the same again: path, headers and body", async () => {
    const { service, client } = await start(inTurn(saying(500), saying(500), whole));
    const values = { total: "£1,000", lines: [{ text: "ü" }] };
    const bytes = client.generate("inv 2024", values, { headers: { "x-tenant": "7" } }).bytes();
    // What is changed afterwards does not matter.
    values.total = "£2,000";
    await bytes;
    const sent = service.requests.map(({ path, headers, body }) => ({ path, headers, body }));
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ total: "£1,000", lines: [{ text: "ü" }] });
  });

  it.each([
    [0, 1],
    [1, 2],
    [2, 3],
    [5, 6],
  ])("with a limit of %d is tried %d times", async (limit, times) => {
    const { service, client } = await start(saying(503), { retry: { limit } });
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && error.attempts).toBe(times);
    const tried = / Tried (\d+) times\.$/.exec((error as Error).message)?.[1];
    expect(tried).toBe(times === 1 ? undefined : String(times));
    expect(service.requests).toHaveLength(times);
  });

  it("is tried twice more by itself, and as often as the call says where it does", async () => {
    const service = await Service.start(saying(503));
    const { retry: _, ...rest } = { retry: false };
    const client = service.client({ ...rest, retry: undefined });
    await rejectionOf(generate(client).bytes());
    expect(service.requests).toHaveLength(3);
    await rejectionOf(generate(client, { retry: { limit: 3 } }).bytes());
    expect(service.requests).toHaveLength(7);
    await rejectionOf(generate(client, { retry: false }).bytes());
    expect(service.requests).toHaveLength(8);
  });

  it("tells how often it was tried also where the last try ended it for good", async () => {
    const { client } = await start(inTurn(saying(503), saying(404)));
    const error = await rejectionOf(generate(client).bytes());
    expect(ApiError.is(error) && [error.status, error.attempts]).toEqual([404, 2]);
    expect((error as Error).message).toMatch(/ Tried 2 times\.$/);
  });

  it("uses its connection again where the answer was read to its end", async () => {
    const { service, client } = await start(inTurn(saying(503, "busy"), whole));
    await generate(client).bytes();
    expect(service.requests[0]?.socket).toBe(service.requests[1]?.socket);
    expect(service.connections).toBe(1);
  });

  it("frees the connection of every attempt whose answer was not", async () => {
    const { service, client } = await start(saying(503, Buffer.alloc(300_000)));
    await rejectionOf(generate(client).bytes());
    expect(service.requests).toHaveLength(3);
    await Promise.all(service.requests.map(({ closed }) => closed));
  });

  describe("is not, where another attempt would end the same way:", () => {
    it.each(forms)("%s of a 200 with HTML", async (_, read) => {
      const { service, client } = await start(
        saying(200, "<html>login</html>", { "content-type": "text/html" }),
      );
      const error = await rejectionOf(read(generate(client)));
      expect(InvalidPdfError.is(error) && error.attempts).toBe(1);
      expect(service.requests).toHaveLength(1);
    });

    it("an empty 200, a 204, and an encoding that nobody undoes", async () => {
      for (const answer of [saying(200), saying(204), saying(200, "x", { "content-encoding": "xyz" })]) {
        const { service, client } = await start(answer);
        expect(InvalidPdfError.is(await rejectionOf(generate(client).bytes()))).toBe(true);
        expect(service.requests).toHaveLength(1);
      }
    });

    it("values and options that are wrong", async () => {
      const { service, client } = await start(whole);
      expect(ValuesError.is(await rejectionOf(client.generate("a", { n: Number.NaN })))).toBe(true);
      expect(ConfigurationError.is(await rejectionOf(client.generate("..", {})))).toBe(true);
      expect(service.requests).toHaveLength(0);
    });

    it("a document that is larger than maxBytes", async () => {
      const { service, client } = await start(whole, { maxBytes: 1_000 });
      const error = await rejectionOf(generate(client).bytes());
      expect(OversizedPdfError.is(error) && error.attempts).toBe(1);
      expect(service.requests).toHaveLength(1);
    });

    it("a file that cannot be written", async () => {
      const { service, client } = await start(whole);
      const path = join(temporaryFolder(), "missing", "a.pdf");
      expect(SaveError.is(await rejectionOf(generate(client).saveTo(path)))).toBe(true);
      expect(service.requests).toHaveLength(0);
    });
  });

  describe("with a function as key", () => {
    it("asks it for every attempt, once, and sends what it gives", async () => {
      const keys = ["first", "second", "third"];
      let asked = 0;
      const { service, client } = await start(inTurn(saying(503), dying, whole), {
        apiKey: async () => keys[asked++] ?? "",
      });
      await generate(client).bytes();
      expect(asked).toBe(3);
      expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(
        keys.map((key) => `API-Key ${key}`),
      );
    });

    it("ends where that fails, and tells how often it was tried", async () => {
      for (const apiKey of [
        () => {
          throw new Error("sk-secret");
        },
        async () => "",
      ]) {
        let asked = 0;
        const { service, client } = await start(saying(503), {
          apiKey: () => (++asked === 1 ? "good" : apiKey()),
          retry: { limit: 5 },
        });
        const error = await rejectionOf(generate(client).bytes());
        expect(ConfigurationError.is(error) && error.attempts).toBe(1);
        expect((error as Error).message).not.toMatch(/sk-secret|Nothing was sent|1 times/);
        expect([asked, service.requests.length]).toEqual([2, 1]);
      }
    });
  });
});

describe("a call that did not leave", () => {
  /** A port that refuses connections until it is opened. */
  const refusing = async () => {
    const probe = await listen(() => {});
    const { port } = probe;
    await probe.close();
    const server = createServer((request, response) => {
      request.resume().on("end", () => response.end(pdf));
    });
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      open: async () => {
        if (server.listening) return;
        server.listen(port, "127.0.0.1");
        await once(server, "listening");
        expect((server.address() as AddressInfo).port).toBe(port);
      },
    };
  };
  const service = () => Service.start(silent);

  it.each([true, false])(
    "is tried again until the port is open, mayRenderTwice: %s",
    async (mayRenderTwice) => {
      const { baseUrl, open } = await refusing();
      const seen: unknown[] = [];
      const client = (await service()).client({
        baseUrl,
        retry: { limit: 1_000, mayRenderTwice },
        hooks: {
          retry: ({ error }) => {
            seen.push(error);
            if (seen.length === 3) void open();
          },
        },
      });
      const document = await generate(client);
      expect(document.attempts).toBe(seen.length + 1);
      expect(seen.length).toBeGreaterThanOrEqual(3);
      expect(seen.every((error) => ConnectionError.is(error))).toBe(true);
      expect(pdf.equals(await document.bytes())).toBe(true);
    },
  );

  it("as far as a fetch tells, is tried again where nothing may be rendered twice", async () => {
    const { baseUrl } = await refusing();
    const tries = async (fetch: typeof globalThis.fetch) => {
      const client = (await service()).client({ baseUrl, fetch, retry: { mayRenderTwice: false } });
      const error = await rejectionOf(generate(client).bytes());
      return ConnectionError.is(error) && error.attempts;
    };
    const silentFetch = () => Promise.reject(new TypeError("fetch failed"));
    expect([await tries(globalThis.fetch), await tries(silentFetch)]).toEqual([3, 1]);
  });

  it("is told as that, with how often it was tried", async () => {
    const { baseUrl } = await refusing();
    const client = (await service()).client({ baseUrl, retry: { mayRenderTwice: false } });
    const error = await rejectionOf(generate(client).bytes());
    expect(ConnectionError.is(error) && error.attempts).toBe(3);
    expect((error as Error).message).toMatch(/^Could not reach the service .* Tried 3 times\.$/);
  });
});
