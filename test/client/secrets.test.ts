import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { type Answer, type Received, rejectionOf, Service, saying } from "../support/service.ts";
import { expectSafe, plainKey, secretValues, spellings, trickyKey, values } from "./canaries.ts";

type Said = { body: unknown; rawBody: string; headers: Headers };

function echo(status: number, body: (received: Received) => string): Answer {
  return (received) => saying(status, body(received))(received);
}

const spelled = (index: number) => secretValues.map((value) => spellings(value)[index]).join(" ");

/** Bodies that repeat what was sent; headers and status lines are in secrets-everywhere.test.ts. */
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
  ["a key that has to be escaped", trickyKey],
])("an error of a client with %s", (_, apiKey) => {
  const saidOf = async (answer: Answer) => {
    const service = await Service.start(answer);
    return (await rejectionOf(service.client({ apiKey }).generate("inv", values).bytes())) as Said;
  };

  it.each(echoes)("shows neither the key nor values that the service repeats in %s", async (_, answer) => {
    expectSafe(await saidOf(answer), apiKey);
  });

  it("has no spelling of the key in its body", async () => {
    for (const spelling of spellings(`API-Key ${apiKey}`)) {
      const error = await saidOf(saying(400, `{"note":"${spelling.replace(/^"|"$/g, "")}"}`));
      const said = `${error.rawBody} ${JSON.stringify(error.body)} ${inspect(error.body)}`;
      for (const key of spellings(apiKey)) expect(said).not.toContain(key);
      expect(said).toContain("API-Key");
    }
  });

  it.each([
    [
      "as a JSON string with every character escaped",
      (key: string) => Array.from(key, (one) => `\\u00${one.charCodeAt(0).toString(16)}`).join(""),
    ],
    ["in base64url", (key: string) => Buffer.from(key).toString("base64url")],
    ["within a header in base64", (key: string) => Buffer.from(`API-Key ${key}`).toString("base64")],
  ])("has the key nowhere in its body, which repeats it %s", async (_, write) => {
    const error = await saidOf(saying(400, `{"a":"${write(apiKey)}"}`));
    const said = `${error.rawBody} ${JSON.stringify(error.body)}`;
    expect(said).toContain("[redacted]");
    for (const encoding of ["utf8", "base64url"] as const) {
      expect(said).not.toContain(Buffer.from(apiKey).toString(encoding).slice(4, -2));
    }
  });

  it("has no part of the key in its headers, nor at the end of a long body", async () => {
    const end = `${"x".repeat(64 * 1024 - apiKey.length + 2)}${apiKey}${"y".repeat(10_000)}`;
    const error = await saidOf(saying(500, end, { "x-key": apiKey }));
    expect(error.headers.get("x-key")).toBe("[redacted]");
    expect(error.rawBody).not.toContain(apiKey.slice(0, 8));
  });
});

it.each([
  ["s3cr", '{"key":"s3cr","digits":4711,"text":"API-Key s3cr, s3crets"}'],
  ["47114711", '{"key":47114711,"digits":4711}'],
])(
  "the body of an error hides the short or numeric key %s, and keeps other numbers",
  async (apiKey, body) => {
    const service = await Service.start(saying(400, body));
    const error = (await rejectionOf(service.client({ apiKey }).generate("inv", {}).bytes())) as Said;
    expect(error.body).toMatchObject({ key: "[redacted]", digits: 4711 });
    expect(`${error.rawBody}`).not.toContain(`"${apiKey}`);
  },
);
