import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { type Answer, pdfOf, type Received, rejectionOf, Service, saying } from "../support/service.ts";
import { expectSafe, plainKey, secretValues, spellings, trickyKey, values } from "./canaries.ts";

/** Answers that repeat what was sent. */
const echoes: readonly (readonly [string, Answer])[] = [
  [
    "a JSON message",
    echo(400, ({ headers, body }) => JSON.stringify({ message: `${headers.authorization} ${body}` })),
  ],
  [
    "a problem in nested JSON",
    echo(422, ({ headers, body }) =>
      JSON.stringify({
        error: { message: `bad value in ${body}` },
        authorization: headers.authorization,
        body,
      }),
    ),
  ],
  ["the values, one by one", echo(500, () => JSON.stringify({ detail: secretValues.join(" | ") }))],
  ["plain text", echo(500, ({ headers, body }) => `${headers.authorization}\n${body}`)],
  ["an HTML page with 200", echo(200, ({ headers, body }) => `<html>${headers.authorization} ${body}`)],
  ["JSON with 200", echo(200, ({ headers, body }) => JSON.stringify({ headers, body }))],
  ["JSON values with 200", echo(200, ({ body }) => `{"error":${body}}`)],
  [
    "values in ASCII-only JSON with 200",
    echo(
      200,
      () => `{"error":"${secretValues.map((value) => spellings(value)[3]?.slice(1, -1)).join(" ")}"}`,
    ),
  ],
  [
    "escaped values in a page with 200",
    echo(200, () => secretValues.map((value) => spellings(value)[5]).join(" ")),
  ],
  [
    "escaped values in another page",
    echo(200, () => secretValues.map((value) => spellings(value)[6]).join(" ")),
  ],
  ["encoded values in a page with 200", echo(200, () => secretValues.map(encodeURIComponent).join(" "))],
  [
    "response headers",
    echo(
      403,
      () => "{}",
      ({ headers }) => ({
        "x-echo": `${headers.authorization}`,
        "x-request-id": `id ${headers.authorization}`,
      }),
    ),
  ],
  [
    "the content type",
    echo(
      200,
      () => "<html>",
      ({ headers }) => ({ "content-type": `text/html; key=${headers.authorization}` }),
    ),
  ],
  [
    "the content encoding",
    echo(
      200,
      () => "<html>",
      ({ headers }) => ({ "content-encoding": `x-${headers.authorization}` }),
    ),
  ],
  [
    "a redirect",
    echo(
      302,
      () => "",
      ({ headers }) => ({
        location: `/login/${encodeURIComponent(String(headers.authorization))}/${encodeURIComponent(values.customer)}?k=${headers.authorization}`,
      }),
    ),
  ],
  [
    "a redirect whose path is long",
    echo(
      302,
      () => "",
      ({ headers }) => ({ location: `/${"a".repeat(285)}/${String(headers.authorization).slice(8)}` }),
    ),
  ],
  [
    "a document that is cut off",
    ({ response, headers }) => {
      response.writeHead(200, { "content-length": 99_999, "x-echo": String(headers.authorization) });
      response.write(pdfOf(2_000), () => response.destroy());
    },
  ],
  ["a head that is no HTTP", raw(({ headers }) => `HTTP/1.1 200 OK\r\n${headers.authorization}\r\n\r\n`)],
  [
    "a status line that is none",
    raw(({ headers, body }) => `HTTP/1.1 abc ${headers.authorization} ${body}\r\n\r\n`),
  ],
];

function echo(
  status: number,
  body: (received: Received) => string,
  headers: (received: Received) => Record<string, string> = () => ({}),
): Answer {
  return (received) => saying(status, body(received), headers(received))(received);
}

/** As JSON may write any character (RFC 8259, 7). */
function escaped(text: string): string {
  return Array.from(text, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

function raw(text: (received: Received) => string): Answer {
  return (received) => void received.socket.end(text(received));
}

describe("an error", () => {
  describe.each([
    ["a plain key", plainKey],
    ["a key that has to be escaped", trickyKey],
  ])("with %s", (_, apiKey) => {
    it.each(echoes)(
      "shows neither key nor values where the service repeats them in %s",
      async (_, answer) => {
        const service = await Service.start(answer);
        const error = await rejectionOf(service.client({ apiKey }).generate("inv", values).bytes());
        expectSafe(error, apiKey);
      },
    );

    it("has the key nowhere in the service's own words, which may hold values", async () => {
      for (const spell of spellings(apiKey).keys()) {
        const service = await Service.start(
          echo(400, () => `{"note":"${spellings(`API-Key ${apiKey}`)[spell]?.replace(/^"|"$/g, "")}"}`),
        );
        const error = (await rejectionOf(service.client({ apiKey }).generate("inv", values).bytes())) as {
          body: unknown;
          rawBody: string;
          headers: Headers;
        };
        const words = `${error.rawBody} ${JSON.stringify(error.body)} ${inspect(error.body)}`;
        for (const spelling of spellings(apiKey)) expect(words).not.toContain(spelling);
        expect(words).toContain("API-Key");
      }
    });

    it.each([
      ["as a JSON string with every character escaped", (key: string) => `"${escaped(key)}"`],
      ["as the name of a member", (key: string) => `{"${escaped(key)}":1}`],
      ["deep in lists", (key: string) => `${"[".repeat(500)}"${escaped(key)}"${"]".repeat(500)}`],
      ["as a member named __proto__", (key: string) => `{"__proto__":{"a":"${escaped(key)}"}}`],
      ["in hexadecimal", (key: string) => `{"a":"${Buffer.from(key).toString("hex")}"}`],
      ["in base64url", (key: string) => `{"a":"${Buffer.from(key).toString("base64url")}"}`],
      [
        "within a header in base64",
        (key: string) => `{"a":"${Buffer.from(`API-Key ${key}`).toString("base64")}"}`,
      ],
    ])("has the key nowhere in its body, which repeats it %s", async (_, write) => {
      const service = await Service.start(saying(400, write(apiKey)));
      const error = (await rejectionOf(service.client({ apiKey }).generate("inv", values).bytes())) as {
        body: unknown;
        rawBody: string;
      };
      const words = `${error.rawBody} ${JSON.stringify(error.body)}`;
      expect(words).toContain("[redacted]");
      for (const encoding of ["utf8", "hex", "base64url"] as const) {
        expect(words).not.toContain(Buffer.from(apiKey).toString(encoding).slice(4, -2));
      }
      expect(typeof error.body).toBe(typeof JSON.parse(write(apiKey)));
    });

    it("has no part of the key in its headers, nor at the end of a long body", async () => {
      const service = await Service.start(({ response }) => {
        response.writeHead(500, { "x-key": apiKey });
        response.end("x".repeat(64 * 1024 - apiKey.length + 2) + apiKey + "y".repeat(10_000));
      });
      const error = (await rejectionOf(service.client({ apiKey }).generate("inv", values).bytes())) as {
        rawBody: string;
        headers: Headers;
      };
      expect(error.headers.get("x-key")).toBe("[redacted]");
      expect(error.rawBody).not.toContain(apiKey.slice(0, 8));
    });
  });
});

it("A key of less than 8 characters is nowhere in the body of an error, and a number stays a number", async () => {
  const service = await Service.start(
    saying(400, '{"key":"s3cr","digits":4711,"text":"API-Key s3cr, s3crets"}'),
  );
  const error = (await rejectionOf(service.client({ apiKey: "s3cr" }).generate("inv", {}).bytes())) as {
    body: unknown;
  };
  expect(error.body).toEqual({ key: "[redacted]", digits: 4711, text: "API-Key [redacted], s3crets" });
});

it("A key of digits is nowhere in the body of an error, not even as a number", async () => {
  const service = await Service.start(saying(400, '{"key":47114711,"total":4711}'));
  const error = (await rejectionOf(service.client({ apiKey: "47114711" }).generate("inv", {}).bytes())) as {
    body: unknown;
  };
  expect(error.body).toEqual({ key: "[redacted]", total: 4711 });
});
