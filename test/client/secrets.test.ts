import type { Socket } from "node:net";
import { inspect } from "node:util";
import { type ClientOptions, TemplatePdfError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Answer, clientOf, type Received, rejectionOf, Service, saying } from "../support/service.ts";
import { listenRaw } from "../support/sockets.ts";
import { expectSafe, plainKey, secretValues, spellings, trickyKey, values } from "./canaries.ts";
import { collectOutput, leaksIn } from "./leaks.ts";
import { withoutBackOff } from "./timing.ts";

type ErrorWithBody = { body: unknown; rawBody: string; headers: Headers };

function echo(status: number, body: (received: Received) => string): Answer {
  return (received) => saying(status, body(received))(received);
}

const spelled = (index: number) => secretValues.map((value) => spellings(value)[index]).join(" ");

/** Response bodies that repeat what was sent. For headers and status lines see secrets-everywhere.test.ts. */
const echoes: readonly (readonly [string, Answer])[] = [
  [
    "a JSON message",
    echo(400, ({ headers, body }) => JSON.stringify({ message: `${headers.authorization} ${body}` })),
  ],
  [
    "a detail with the values one by one",
    echo(500, () => JSON.stringify({ detail: secretValues.join(" | ") })),
  ],
  ["JSON values with status 200", echo(200, ({ body }) => `{"error":${body}}`)],
  ["ASCII-only JSON with status 200", echo(200, () => `{"error":"${spelled(3).replaceAll('"', "")}"}`)],
  ["a page with named entities", echo(200, () => spelled(5))],
  ["a page with numeric entities", echo(200, () => spelled(6))],
  ["a page with percent escapes", echo(200, () => spelled(7))],
  [
    "the long path of a redirect",
    (received) =>
      saying(302, "", { location: `/${"a".repeat(285)}/${received.headers.authorization?.slice(8)}` })(
        received,
      ),
  ],
];

describe.each([
  ["a plain key", plainKey],
  ["a key that needs escaping", trickyKey],
])("an error of a client with %s", (_, apiKey) => {
  const errorFrom = async (answer: Answer) => {
    const service = await Service.start(answer);
    return (await rejectionOf(service.client({ apiKey }).generate("inv", values).bytes())) as ErrorWithBody;
  };

  it.each(echoes)("does not contain the key or values that the service repeats in %s", async (_, answer) => {
    expectSafe(await errorFrom(answer), apiKey);
  });

  it("does not contain the key in any encoding in its body", async () => {
    for (const spelling of spellings(`API-Key ${apiKey}`)) {
      const error = await errorFrom(saying(400, `{"note":"${spelling.replace(/^"|"$/g, "")}"}`));
      const output = `${error.rawBody} ${JSON.stringify(error.body)} ${inspect(error.body)}`;
      for (const key of spellings(apiKey)) expect(output).not.toContain(key);
      expect(output).toContain("API-Key");
    }
  });

  it.each([
    [
      "as a JSON string with every character escaped",
      (key: string) => Array.from(key, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join(""),
    ],
    ["in base64url", (key: string) => Buffer.from(key).toString("base64url")],
    ["within a header in base64", (key: string) => Buffer.from(`API-Key ${key}`).toString("base64")],
  ])("does not contain the key in its body if the response repeats it %s", async (_, write) => {
    const error = await errorFrom(saying(400, `{"a":"${write(apiKey)}"}`));
    const output = `${error.rawBody} ${JSON.stringify(error.body)}`;
    expect(output).toContain("[redacted]");
    for (const encoding of ["utf8", "base64url"] as const) {
      expect(output).not.toContain(Buffer.from(apiKey).toString(encoding).slice(4, -2));
    }
  });

  it("does not contain part of the key in its headers or at the end of a long body", async () => {
    const end = `${"x".repeat(64 * 1024 - apiKey.length + 2)}${apiKey}${"y".repeat(10_000)}`;
    const error = await errorFrom(saying(500, end, { "x-key": apiKey }));
    expect(error.headers.get("x-key")).toBe("[redacted]");
    expect(error.rawBody).not.toContain(apiKey.slice(0, 8));
  });
});

it.each([
  ["s3cr", '{"key":"s3cr","digits":4711,"text":"API-Key s3cr, s3crets"}'],
  ["47114711", '{"key":47114711,"digits":4711}'],
])(
  "the body of an error does not contain the short or numeric key %s, but keeps other numbers",
  async (apiKey, body) => {
    const service = await Service.start(saying(400, body));
    const error = (await rejectionOf(
      service.client({ apiKey }).generate("inv", {}).bytes(),
    )) as ErrorWithBody;
    expect(error.body).toMatchObject({ key: "[redacted]", digits: 4711 });
    expect(`${error.rawBody}`).not.toContain(`"${apiKey}`);
  },
);

describe("no output contains a secret from the settings after", () => {
  const throwing = () => {
    throw new Error(trickyKey);
  };
  it.each<[string, number, () => string]>([
    ["throws", 1, throwing],
    ["returns a bad key", 1, () => `${trickyKey} ${plainKey}`],
    ["returns another key", 2, () => "another-key-entirely"],
  ])(
    "an API key function that %s at the second attempt and a service that repeats the first key",
    async (_, attempts, second) => {
      withoutBackOff();
      const service = await Service.start(saying(503, JSON.stringify({ message: `key ${trickyKey}` })));
      const keys = [() => trickyKey];
      const { error, places } = await collectOutput(async (hooks) => {
        const apiKey = () => (keys.shift() ?? second)();
        const client = service.client({ apiKey, retry: { limit: 1 }, hooks });
        return { client, error: await rejectionOf(client.generate("inv", values).bytes()) };
      });
      expect(service.requests).toHaveLength(attempts);
      expect(leaksIn(places, trickyKey)).toEqual([]);
      expect(error).toMatchObject({ attempts });
    },
  );

  it("a fetch that throws the caller's authorization header", async () => {
    for (const options of [
      { headers: { authorization: `Bearer ${plainKey}` } },
      { headers: [["Authorization", plainKey]] as [string, string][] },
    ]) {
      const service = await Service.start(() => {});
      const { places } = await collectOutput(async (hooks) => {
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
    [
      "rejects the connection",
      (socket: Socket) => socket.end(`HTTP/1.1 407 ${plainKey}\r\nx-echo: ${plainKey}\r\n\r\n`),
    ],
    ["does not respond", () => {}],
    ["does not respond with HTTP", (socket: Socket) => socket.end(`${plainKey}\r\n\r\n`)],
  ])("a proxy with a password that %s", async (_, answer) => {
    const proxy = await listenRaw((socket) => void socket.once("data", () => answer(socket)));
    onTestFinished(() => proxy.close());
    vi.stubEnv("HTTPS_PROXY", `http://user:${plainKey}@127.0.0.1:${proxy.port}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { places, error } = await collectOutput(async (hooks) => {
      const options = { apiKey: plainKey, timeouts: { connect: 200 }, hooks };
      const client = clientOf("https://service.test", options);
      return { client, error: await rejectionOf(client.generate("inv", values).bytes()) };
    });
    expect(error).toBeInstanceOf(TemplatePdfError);
    expect(leaksIn(places, plainKey)).toEqual([]);
  });
});
