import type { Socket } from "node:net";
import { type ClientOptions, TemplatePdf, TemplatePdfError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { rejectionOf, Service, saying } from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";
import { plainKey, trickyKey, values } from "./canaries.ts";
import { leaksIn, whatComesOut } from "./leaks.ts";

describe("nothing that comes out holds a secret of the settings after", () => {
  it.each([
    [
      "throws",
      1,
      () => {
        throw new Error(trickyKey);
      },
    ],
    ["gives a bad key", 1, () => `${trickyKey} ${plainKey}`],
    ["gives another key", 2, () => "another-key-entirely"],
  ])(
    "a key source that %s for the second attempt, and a service that repeats the first",
    async (_, attempts, second) => {
      vi.spyOn(Math, "random").mockReturnValue(0.01);
      const service = await Service.start(saying(503, JSON.stringify({ message: `key ${trickyKey}` })));
      const keys = [() => trickyKey, second];
      const { error, places } = await whatComesOut(async (hooks) => {
        const client = service.client({
          apiKey: () => (keys.shift() ?? second)(),
          retry: { limit: 1 },
          hooks,
        });
        return { client, error: await rejectionOf(client.generate("inv", values).bytes()) };
      });
      expect(service.requests).toHaveLength(attempts);
      expect(leaksIn(places, trickyKey)).toEqual([]);
      expect(error).toMatchObject({ attempts });
    },
  );

  it("a fetch that throws an authorization of the caller's own", async () => {
    for (const options of [
      { headers: { authorization: `Bearer ${plainKey}` } },
      { headers: [["Authorization", plainKey]] as [string, string][] },
    ]) {
      const service = await Service.start(() => {});
      const { places } = await whatComesOut(async (hooks) => {
        const fetch: ClientOptions["fetch"] = async (_, init) => {
          throw Object.assign(new Error(JSON.stringify(init)), { init });
        };
        const client = service.client({ apiKey: null, ...options, fetch, hooks });
        const other = service.client({ apiKey: null, fetch, hooks });
        const errors = [
          await rejectionOf(client.generate("inv", values).bytes()),
          await rejectionOf(other.generate("inv", values, options).bytes()),
        ];
        return { client, error: new AggregateError(errors) };
      });
      expect(leaksIn(places, plainKey)).toEqual([]);
    }
  });

  it.each([
    ["refuses", (socket: Socket) => socket.end(`HTTP/1.1 407 ${plainKey}\r\nx-echo: ${plainKey}\r\n\r\n`)],
    ["says nothing", () => {}],
    ["speaks no HTTP", (socket: Socket) => socket.end(`${plainKey}\r\n\r\n`)],
  ])("a proxy with a password that %s", async (_, answer) => {
    const proxy = await listenRaw((socket) => void socket.once("data", () => answer(socket)));
    onTestFinished(() => proxy.close());
    vi.stubEnv("HTTPS_PROXY", `http://user:${plainKey}@127.0.0.1:${proxy.port}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { places, error } = await whatComesOut(async (hooks) => {
      const client = new TemplatePdf({
        baseUrl: "https://service.test",
        apiKey: plainKey,
        retry: false,
        timeouts: { connect: 200 },
        hooks,
      });
      return { client, error: await rejectionOf(client.generate("inv", values).bytes()) };
    });
    expect(error).toBeInstanceOf(TemplatePdfError);
    expect(leaksIn(places, plainKey)).toEqual([]);
  });
});
