import { ConfigurationError, TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { pdfOf, rejectionOf, Service, saying, turns, withLength } from "../support/service.ts";
import { generate } from "./every-form.ts";

const key = "sk_CANARY_0123456789";
const good = { baseUrl: "https://pdf.example.com", apiKey: key };
const dispatcher = { dispatch: () => true };
const completePdf = withLength(pdfOf(2_000));

describe("a derived client", () => {
  it("shares the connections of its parent and overrides its options", async () => {
    const service = await Service.start(completePdf);
    const client = service.client({ headers: { "x-a": "client" } });
    for (const options of [{}, { apiKey: "derived" }, { headers: { "x-b": "1" } }]) {
      await generate(client.with(options)).bytes();
      await turns();
    }
    expect(service.connections).toBe(1);
    const own = "API-Key key-of-the-tests";
    expect(service.keys).toEqual([own, "API-Key derived", own]);
    const sent = service.requests.map(({ headers }) => [headers["x-a"], headers["x-b"]]);
    expect(sent).toEqual([
      ["client", undefined],
      ["client", undefined],
      [undefined, "1"],
    ]);
  });

  it("keeps the original headers of its parent if they were an iterator or have been changed", async () => {
    const service = await Service.start(completePdf);
    const once = service.client({ headers: new Map([["x-a", "1"]]).entries() });
    await generate(once.with({ maxBytes: 5_000 })).bytes();
    const changing: Record<string, string> = { "x-a": "1" };
    const client = service.client({ headers: changing });
    Object.assign(changing, { "x-a": "2" });
    await generate(client.with({ maxBytes: 5_000 })).bytes();
    expect(service.requests.map(({ headers }) => headers["x-a"])).toEqual(["1", "1"]);
  });

  it("replaces a `dispatcher` with a `fetch`, and a `fetch` with a `dispatcher`", () => {
    const client = new TemplatePdf({ ...good, dispatcher });
    const fetching = client.with({ fetch });
    const transports = [client, fetching, fetching.with({ dispatcher }), fetching.with({ maxBytes: 5 })];
    expect(transports.map(({ transport }) => transport)).toEqual(["undici", "fetch", "undici", "fetch"]);
  });

  it("overrides only the timeouts that are set", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ timeouts: { firstByte: 100, total: 30_000 } });
    const derived = client.with({ timeouts: { stall: 5_000, firstByte: undefined } });
    expect(await rejectionOf(generate(derived).bytes())).toMatchObject({ phase: "firstByte", limitMs: 100 });
  });

  it.each([
    [false, { mayRenderTwice: true }, 1],
    [{ limit: 1 }, { mayRenderTwice: true }, 2],
    [{ limit: 1 }, { limit: 3 }, 4],
    [{ limit: 1 }, false, 1],
  ] as const)(
    "of a client with retry %j sends, with retry %j, at most %d requests",
    async (client, derived, expected) => {
      const service = await Service.start(saying(503, "", { "retry-after": "0" }));
      await rejectionOf(generate(service.client({ retry: client }).with({ retry: derived })).bytes());
      expect(service.requests).toHaveLength(expected);
    },
  );

  it.each([
    null,
    undefined,
    key,
    { unknown: 1 },
    { maxBytes: 0 },
    { timeouts: null },
    { timeouts: { stal: 5 } },
    { retry: null },
    { retry: 3 },
    { baseUrl: "http://pdf.example.com" },
  ])("throws a ConfigurationError without the key for the options %j", (options) => {
    const client = new TemplatePdf({ ...good, timeouts: { stall: 100 }, retry: { limit: 1 } });
    expect(() => client.with(options as never)).toThrow(ConfigurationError);
    expect(() => client.with(options as never)).not.toThrow(/CANARY/);
  });
});
