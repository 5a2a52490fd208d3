import { NotFoundError, RateLimitError, TemplatePdf, TruncatedPdfError } from "template-pdf";
import { expect, it } from "vitest";
import type { RunningProgram } from "../start-program.ts";
import { type Answer, type CallInit, call, readAnswer, startCall } from "./call.ts";
import type { Host } from "./host.ts";
import { type Play, secrets, type Upstream } from "./upstream.ts";

const mebibyte = 1_048_576;

/** What lies in the buffers of two connections and of a host, at most: of a document that is far larger. */
const mostOnTheWay = 40 * mebibyte;
const farLarger = 96 * mebibyte;

/** All that the handler may set. */
const known = [
  "accept",
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "access-control-max-age",
  "allow",
  "cache-control",
  "content-disposition",
  "content-length",
  "content-type",
  "retry-after",
  "vary",
  "x-content-type-options",
  "x-request-id",
];

/** What every HTTP server sets by itself. */
const ofServers = ["connection", "date", "keep-alive", "transfer-encoding"];

/**
 * Makes the tests of one host: what the handler promises, whoever carries it.
 *
 * @param host - how it differs from the others
 * @param running - it, once it listens, and the service behind it
 */
export function testContract(host: Host, running: () => { host: RunningProgram; upstream: Upstream }): void {
  const member = { authorization: "Bearer member" };
  const urlOf = (name = "document", mount = host.mount) =>
    `${running().host.origin}${mount}/api/v1/templates/${name}/generate-sync`;
  const sending = (play: Play & Record<string, unknown>, init: CallInit = {}): CallInit => ({
    ...init,
    headers: { ...member, ...init.headers },
    body: JSON.stringify(play),
  });
  const bodied = (body: string | Buffer, headers: Record<string, string> = {}): CallInit => ({
    headers: { ...member, ...headers },
    body,
  });

  /** Makes a call, and judges what every answer must keep to itself. */
  async function ask(init: CallInit, name?: string, mount?: string): Promise<Answer> {
    const answer = await call(urlOf(name, mount), init);
    expectNothingTold(answer);
    return answer;
  }

  function expectNothingTold({ headers, body }: Answer): void {
    const strangers = Object.keys(headers).filter(
      (name) => ![...known, ...ofServers, ...host.ownHeaders].includes(name),
    );
    expect(strangers).toEqual([]);
    const told = JSON.stringify(headers) + (body.length < mebibyte ? body.toString("latin1") : "");
    for (const secret of [...Object.values(secrets), `:${running().upstream.port}`, "key-of-the-sessions"]) {
      expect(told).not.toContain(secret);
    }
  }

  function expectProblem(answer: Answer, status: number, kind: string): void {
    const { type, detail } = JSON.parse(answer.body.toString()) as Record<string, unknown>;
    expect([answer.status, answer.headers["content-type"], type, answer.headers["cache-control"]]).toEqual([
      status,
      "application/problem+json",
      `urn:template-pdf:problem:${kind}`,
      "no-store",
    ]);
    expect(detail).toMatch(/^[A-Z].+\.$/);
  }

  it("hands a document over, whole, with its headers", async () => {
    const coming = running().upstream.nextCall();
    const answer = await ask(sending({ plays: "document", bytes: 300_000, named: "Rechnung März" }));
    const { values, authorization } = await coming;
    expect(values).toEqual({
      plays: "document",
      bytes: 300_000,
      named: "Rechnung März",
      price: "set by the server",
    });
    expect(authorization).toBe(`API-Key ${secrets.key}`);
    expect([answer.status, answer.isWhole, answer.body.length]).toEqual([200, true, 300_000]);
    expect(answer.headers).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="Rechnung M_rz.pdf"; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[\da-f-]{36}$/),
      vary: expect.stringContaining("origin"),
    });
  });

  it(`${host.tellsLength ? "tells" : "cannot tell"} how long a document will be`, async () => {
    const told = await ask(sending({ plays: "document", bytes: 300_000 }));
    expect(told.headers["content-length"]).toBe(host.tellsLength ? "300000" : undefined);
    const hidden = await ask(sending({ plays: "document", bytes: 300_000, hidesLength: true }));
    expect([hidden.headers["content-length"], hidden.body.length]).toEqual([undefined, 300_000]);
  });

  it("takes from the service no more than the caller takes", async () => {
    const { upstream } = running();
    const coming = upstream.nextCall();
    const calling = startCall(urlOf(), sending({ plays: "document", bytes: farLarger }));
    const service = await coming;
    const answer = await calling.head;
    await untilAtRest(() => service.sentBytes);
    expect(service.sentBytes).toBeLessThan(mostOnTheWay);
    let bytes = 0;
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
    expect([bytes, answer.complete]).toEqual([farLarger, true]);
  });

  it("leaves the service when the caller leaves before the answer", async () => {
    const coming = running().upstream.nextCall();
    const calling = startCall(urlOf(), sending({ plays: "silence" }));
    const { left } = await coming;
    calling.leave(host.seesLeavingBy);
    await left;
  });

  it("leaves the service when the caller leaves amid the document", async () => {
    const coming = running().upstream.nextCall();
    const calling = startCall(urlOf(), sending({ plays: "part" }));
    const { left } = await coming;
    const answer = await calling.head;
    await new Promise((resolve) => answer.once("data", resolve));
    calling.leave("closing");
    await left;
  });

  it.each([
    ["with its length", false],
    ["without it", true],
  ])(
    `${host.breaksOff ? "breaks off" : "may end"} a document that breaks off, told %s`,
    async (_title, hidesLength) => {
      const coming = running().upstream.nextCall();
      const calling = startCall(urlOf(), sending({ plays: "part", hidesLength }));
      const service = await coming;
      const head = await calling.head;
      const reading = readAnswer(head);
      head.once("data", () => service.breakOff());
      const answer = await reading;
      expect([answer.status, answer.isWhole]).toEqual([200, hidesLength && !host.breaksOff]);
      // What HTTP does not tell there, the proof of the page's own client does.
      expect(answer.body.toString("latin1")).not.toContain("%%EOF");
    },
  );

  it.each([
    [400, "body-not-json", bodied("[1]")],
    [415, "unsupported-media-type", bodied("{}", { "content-type": "text/plain" })],
    [403, "not-authorized", bodied("{}", { authorization: "Bearer stranger" })],
    [422, "invalid-values", bodied('{"plays":7}')],
    [500, "server-fault", bodied("{}", { authorization: "Bearer broken" })],
    [422, "invalid-values", sending({ plays: "status", status: 400 })],
    [502, "document-not-made", sending({ plays: "status", status: 401 })],
    [502, "document-not-made", sending({ plays: "status", status: 404 })],
    [502, "document-not-made", sending({ plays: "status", status: 500 })],
    [504, "service-too-slow", sending({ plays: "status", status: 504 })],
    [502, "service-unavailable", sending({ plays: "hang-up" })],
    [502, "service-unavailable", sending({ plays: "page" })],
  ])("answers with %i and %s", async (status, kind, init) => {
    expectProblem(await ask(init), status, kind);
  });

  it.each([
    [429, "rate-limited"],
    [503, "service-busy"],
  ])("answers with %i and %s, and how long to wait", async (status, kind) => {
    const answer = await ask(sending({ plays: "status", status }));
    expectProblem(answer, status, kind);
    expect(answer.headers["retry-after"]).toBe("7");
  });

  it("answers with 404 for a template that is not offered, such as by its uid", async () => {
    const answer = await call(urlOf(secrets.uid), bodied("{}"));
    expectProblem(answer, 404, "unknown-template");
    expectProblem(await ask(bodied("{}"), "constructor"), 404, "unknown-template");
  });

  it("answers with 405 for another method", async () => {
    const answer = await ask({ method: "GET", headers: member });
    expectProblem(answer, 405, "method-not-allowed");
    expect(answer.headers.allow).toBe("POST");
  });

  it("passes an answer of `authorize` on", async () => {
    const answer = await ask({ body: "{}" });
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([401, { detail: "Sign in." }]);
  });

  it.each([
    ["with its length", false],
    ["without it", true],
  ])("answers with 413 a body of 2 MiB that is told %s", async (_title, hidesLength) => {
    const calls = running().upstream.callCount;
    const init = { ...bodied(Buffer.alloc(2 * mebibyte, " ")), hidesLength };
    const answer = await ask(init).catch((error: NodeJS.ErrnoException) => {
      // Where the rest is not taken, Node's client may learn of the reset before it has read the answer.
      expect([host.takesRest, error.code]).toEqual([false, expect.stringMatching(/^(?:ECONNRESET|EPIPE)$/)]);
    });
    if (answer) expectProblem(answer, 413, "body-too-large");
    expect(running().upstream.callCount).toBe(calls);
  });

  it("lets pages of an origin on the list call, and read the answer", async () => {
    const origin = "https://app.example.com";
    const asked = await ask({
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
    expect([asked.status, asked.headers]).toEqual([
      204,
      expect.objectContaining({
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "authorization,content-type",
        "access-control-allow-credentials": "true",
      }),
    ]);
    const crossSite = { origin, "sec-fetch-site": "cross-site" };
    const answer = await ask(sending({ plays: "document", bytes: 2_000 }, { headers: crossSite }));
    expect([answer.status, answer.headers]).toEqual([
      200,
      expect.objectContaining({
        "access-control-allow-origin": origin,
        "access-control-expose-headers": expect.stringContaining("x-request-id"),
      }),
    ]);
  });

  it.each([
    ["by Sec-Fetch-Site", { "sec-fetch-site": "same-site" }],
    ["by Origin", { origin: "https://elsewhere.example", host: "shop.example" }],
    ["by an Origin that hides", { origin: "null" }],
  ])("refuses pages of other origins, known %s", async (_title, headers: Record<string, string>) => {
    const answer = await ask(sending({ plays: "document", bytes: 2_000 }, { headers }));
    expectProblem(answer, 403, "origin-not-allowed");
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("knows its own pages by the Host that a proxy passes on", async () => {
    const headers = { origin: "https://shop.example", host: "shop.example" };
    const answer = await ask(sending({ plays: "document", bytes: 2_000 }, { headers }));
    expect(answer.status).toBe(200);
  });

  if (host.servesEveryPath) {
    it("serves at the root, and anywhere else", async () => {
      const document = sending({ plays: "document", bytes: 2_000 });
      expect((await ask(document, "document", "")).status).toBe(200);
      expect((await ask(document, "document", "/a/b%20c")).status).toBe(200);
      expectProblem(await ask(document, "document/more"), 404, "unknown-path");
    });
  }

  it("serves our own client, which knows its errors by class", async () => {
    const pdfs = new TemplatePdf<Record<string, Play>>({
      baseUrl: running().host.origin + host.mount,
      apiKey: null,
      headers: member,
      retry: false,
      // Loopback, but that is not what this is about.
      allowInsecureHttp: true,
    });
    const pdf = await pdfs.generate("document", { plays: "document", bytes: 70_000 });
    expect([pdf.filename, (await pdf.bytes()).length]).toEqual(["document.pdf", 70_000]);
    const busy = await pdfs.generate("document", { plays: "status", status: 429 }).bytes().catch(asIs);
    expect(busy).toBeInstanceOf(RateLimitError);
    expect(busy).toMatchObject({ retryAfterMs: 7_000 });
    const unknown = await pdfs.generate("unknown", { plays: "page" }).bytes().catch(asIs);
    expect(unknown).toBeInstanceOf(NotFoundError);

    for (const hidesLength of [false, true]) {
      const coming = running().upstream.nextCall();
      const pdf = await pdfs.generate("document", { plays: "part", hidesLength });
      (await coming).breakOff();
      expect(await pdf.bytes().catch(asIs)).toBeInstanceOf(TruncatedPdfError);
    }
    await pdfs.close();
  });
}

const asIs = (error: unknown) => error;

/** Waits until a count stands still for a second: what it could reach, it has reached. */
async function untilAtRest(count: () => number): Promise<void> {
  let before = -1;
  for (let same = 0; same < 10; same = count() === before ? same + 1 : 0) {
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
