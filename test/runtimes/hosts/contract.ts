import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { expect, it } from "vitest";
import type { RunningProgram } from "../../support/programs.ts";
import {
  type Answer,
  asTaken,
  beginning,
  inChunks,
  pdfOf,
  saying,
  withLength,
} from "../../support/service.ts";
import { noAnswer, type ScriptedService } from "../scripted-service.ts";
import type { HostFacts } from "./hosts.ts";

const mebibyte = 1_048_576;
const document = pdfOf(300_000);
const farLarger = pdfOf(64 * mebibyte);
/** The maximum size of the buffers of two connections and of a host. */
const mostBuffered = 40 * mebibyte;

/** A text of the service that must not reach the browser. */
const words = "secret-words";
export const secrets = { key: "secret-key", uid: "secret-uid", words };
const secretHeaders = { "set-cookie": `session=${words}`, "x-internal": words };

type Call = { method?: string; headers?: Readonly<Record<string, string>>; body?: string | Buffer };

/** Sends a request on its own socket, because `fetch` cannot set Host or reset a connection. */
function send(url: string, { method = "POST", headers = {}, body = '{"total":"1"}' }: Call) {
  // Without keep-alive, a server resets the socket after its response if it has not read the body.
  const agent = new Agent({ keepAlive: true });
  const sending = request(url, {
    method,
    agent,
    headers: { authorization: "Bearer customer", "content-type": "application/json", ...headers },
  });
  const incoming = once(sending, "response").then(([response]) => response as IncomingMessage);
  incoming.catch(() => {});
  sending.on("error", () => {});
  sending.on("socket", (socket) => socket.on("error", () => {}));
  sending.end(method === "POST" ? body : undefined);
  const leave = (by: HostFacts["noticesDisconnectBy"]) =>
    by === "resetting" ? sending.socket?.resetAndDestroy() : sending.socket?.destroy();
  return { incoming, leave };
}

type Response = Awaited<ReturnType<typeof read>>;

/** Reads a response, and whether it is complete according to its headers. */
async function read(incoming: IncomingMessage) {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("error", () => {});
  if (!incoming.closed) await new Promise((resolve) => incoming.once("close", resolve));
  const { statusCode: status, headers, complete: isWhole } = incoming;
  return { status, headers, body: Buffer.concat(chunks), isWhole };
}

/**
 * Creates the tests of one host that depend on the server. test/handler tests the handler itself.
 *
 * @param running - the running host and the service
 */
export function testContract(
  host: HostFacts,
  running: () => { host: RunningProgram; service: ScriptedService },
): void {
  const urlOf = () => `${running().host.origin}/api/pdf/api/v1/templates/document/generate-sync`;

  /** Sends a request, and checks that the response contains no secret. */
  async function call(answer: Answer, call: Call = {}): Promise<Response> {
    // Deno repeats a request whose connection is closed.
    running().service.answer(answer, answer);
    const { incoming, leave } = send(urlOf(), call);
    const response = await incoming.then(read).finally(() => leave("closing"));
    const { headers, body } = response;
    const shown = JSON.stringify(headers) + body.toString("latin1");
    for (const secret of Object.values(secrets)) expect(shown).not.toContain(secret);
    return response;
  }

  function expectProblem({ status, headers, body }: Response, expected: number, kind: string): void {
    expect({ status, contentType: headers["content-type"] }).toEqual({
      status: expected,
      contentType: "application/problem+json",
    });
    expect(JSON.parse(body.toString()).type).toBe(`urn:template-pdf:problem:${kind}`);
  }

  it("forwards a complete document with only the headers of the handler", async () => {
    const { service } = running();
    const response = await call(withLength(document, secretHeaders));
    expect(Object.keys(response.headers)).not.toEqual(expect.arrayContaining(["x-internal"]));
    const sent = service.requests.at(-1);
    expect(JSON.parse(sent?.body ?? "")).toEqual({ total: "1", price: "set by the server" });
    expect(sent?.headers.authorization).toBe(`API-Key ${secrets.key}`);
    expect({
      status: response.status,
      isWhole: response.isWhole,
      isSameDocument: response.body.equals(document),
    }).toEqual({ status: 200, isWhole: true, isSameDocument: true });
    expect(response.headers).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="Rechnung M_rz.pdf"; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[\da-f-]{36}$/),
      vary: expect.stringContaining("origin"),
    });
    expect(response.headers["content-length"]).toBe(host.sendsLength ? "300000" : undefined);
    const unknown = await call(inChunks(document));
    expect({
      contentLength: unknown.headers["content-length"],
      isSameDocument: unknown.body.equals(document),
    }).toEqual({ contentLength: undefined, isSameDocument: true });
  });

  it("reads the response of the service no faster than the caller reads", async () => {
    let sentBytes = 0;
    running().service.answer(
      asTaken(farLarger, (bytes) => {
        sentBytes = bytes;
      }),
    );
    const response = await send(urlOf(), {}).incoming;
    await untilAtRest(() => sentBytes);
    expect(sentBytes).toBeLessThan(mostBuffered);
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    expect({ bytes, complete: response.complete }).toEqual({ bytes: farLarger.length, complete: true });
  });

  it.each([
    ["before the response", noAnswer, host.noticesDisconnectBy],
    ["during the document", beginning(document), "closing"],
  ] as const)("aborts the request to the service if the caller disconnects %s", async (_when, answer, by) => {
    running().service.answer(answer);
    const coming = running().service.next();
    const { incoming, leave } = send(urlOf(), {});
    const { closed } = await coming;
    if (answer !== noAnswer) await once(await incoming, "data");
    leave(by);
    await closed;
  });

  it(`${host.truncates ? "interrupts" : "can end"} its response if the document is truncated`, async () => {
    for (const headers of [{ "content-length": String(document.length) }, {}]) {
      running().service.answer(beginning(document.subarray(0, 100_000), headers));
      const coming = running().service.next();
      const incoming = await send(urlOf(), {}).incoming;
      const { socket } = await coming;
      incoming.once("data", () => socket.destroy());
      const response = await read(incoming);
      expect(response.status).toBe(200);
      // If HTTP does not show the truncation, the client in the browser detects it.
      expect(response.isWhole).toBe(!("content-length" in headers) && !host.truncates);
      expect(response.body.toString("latin1")).not.toContain("%%EOF");
    }
  });

  it("responds with a problem to a wrong origin, a wrong method and a busy service", async () => {
    const elsewhere = { origin: "https://else.example", host: "shop.example" };
    expectProblem(await call(noAnswer, { headers: elsewhere }), 403, "origin-not-allowed");
    expectProblem(await call(noAnswer, { method: "GET" }), 405, "method-not-allowed");
    const busy = await call(saying(429, words, { ...secretHeaders, "retry-after": "7" }));
    expectProblem(busy, 429, "rate-limited");
    expect(busy.headers["retry-after"]).toBe("7");
  });

  it("responds with 413 to a body of 2 MiB, and sends nothing to the service", async () => {
    const { length } = running().service.requests;
    const response = await call(noAnswer, { body: Buffer.alloc(2 * mebibyte, " ") }).catch((error) => {
      // A host that does not read the rest of the body can reset the connection before the response arrives.
      expect({ readsRest: host.readsRest, code: error.code }).toEqual({
        readsRest: false,
        code: expect.stringMatching(/^(?:ECONNRESET|EPIPE)$/),
      });
    });
    if (response) expectProblem(response, 413, "body-too-large");
    expect(running().service.requests).toHaveLength(length);
  });

  it("serves web pages from listed origins and from its own host", async () => {
    const origin = "https://app.example.com";
    const preflight = { origin, "access-control-request-method": "POST" };
    const allowed = await call(noAnswer, { method: "OPTIONS", headers: preflight });
    expect({ status: allowed.status, allowOrigin: allowed.headers["access-control-allow-origin"] }).toEqual({
      status: 204,
      allowOrigin: origin,
    });
    const own = { origin: "https://shop.example", host: "shop.example" };
    expect((await call(withLength(document), { headers: own })).status).toBe(200);
  });
}

/** Waits until a count has not changed for one second. */
async function untilAtRest(count: () => number): Promise<void> {
  const before = count();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  if (count() !== before) await untilAtRest(count);
}
