import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { expectSafe, plainKey, secretValues, spellings, trickyKey, values } from "./canaries.ts";
import { type Answer, pdfOf, type Received, rejectionOf, Service, saying, transports } from "./service.ts";

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

function raw(text: (received: Received) => string): Answer {
  return (received) => void received.socket.end(text(received));
}

describe.each(transports)("an error, by %s,", (_, options) => {
  describe.each([
    ["a plain key", plainKey],
    ["a key that has to be escaped", trickyKey],
  ])("with %s", (_, apiKey) => {
    it.each(echoes)(
      "shows neither key nor values where the service repeats them in %s",
      async (_, answer) => {
        const service = await Service.start(answer);
        const error = await rejectionOf(
          service
            .client({ ...options, apiKey })
            .generate("inv", values)
            .bytes(),
        );
        expectSafe(error, apiKey);
      },
    );

    it("has the key nowhere in the service's own words, which may hold values", async () => {
      for (const spell of spellings(apiKey).keys()) {
        const service = await Service.start(
          echo(400, () => `{"note":"${spellings(`API-Key ${apiKey}`)[spell]?.replace(/^"|"$/g, "")}"}`),
        );
        const error = (await rejectionOf(
          service
            .client({ ...options, apiKey })
            .generate("inv", values)
            .bytes(),
        )) as { body: unknown; rawBody: string; headers: Headers };
        const words = `${error.rawBody} ${JSON.stringify(error.body)} ${inspect(error.body)}`;
        for (const spelling of spellings(apiKey)) expect(words).not.toContain(spelling);
        expect(words).toContain("API-Key");
      }
    });

    it("has no part of the key in its headers, nor at the end of a long body", async () => {
      const service = await Service.start(({ response }) => {
        response.writeHead(500, { "x-key": apiKey });
        response.end("x".repeat(64 * 1024 - apiKey.length + 2) + apiKey + "y".repeat(10_000));
      });
      const error = (await rejectionOf(
        service
          .client({ ...options, apiKey })
          .generate("inv", values)
          .bytes(),
      )) as { rawBody: string; headers: Headers };
      expect(error.headers.get("x-key")).toBe("[redacted]");
      expect(error.rawBody).not.toContain(apiKey.slice(0, 8));
    });
  });
});
