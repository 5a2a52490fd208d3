import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { type ClientOptions, type TemplatePdf, TimeoutError } from "template-pdf";
import { Agent, type Dispatcher } from "undici";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFile } from "../network/child.ts";
import { startProxy } from "../network/proxy.ts";
import { startTlsService } from "../network/tls-service.ts";
import { makeAuthority } from "../support/certificates.ts";
import { pdfOf, rejectionOf, Service, withLength } from "../support/service.ts";
import { open } from "../support/sockets.ts";
import { clientOf, pdfFrom, sourceOf } from "../transport/service.ts";
import { blockOf, guideText, runBlock } from "./guide-block.ts";

/** What docs/guides/network.md shows, against proxies and services on this machine. */

interface Sending {
  readonly pdfs: TemplatePdf;
  readonly dispatcher: Dispatcher;
}

const authority = makeAuthority();
const baseUrl = "https://pdf.example.com";

beforeEach(() => void vi.stubEnv("PDF_API_KEY", "key-of-the-tests"));
afterEach(() => void vi.unstubAllEnvs());

/** Runs a block that makes a client with a dispatcher. */
async function clientOfBlock(
  file: string,
  replacements: Readonly<Record<string, string>>,
): Promise<TemplatePdf> {
  const { pdfs, dispatcher } = await runBlock<Sending>(blockOf("network", file), replacements);
  onTestFinished(() => dispatcher.destroy());
  return pdfs;
}

/** Writes a file; its path is to stand in a program, where a backslash would mean something else. */
async function fileOf(name: string, content: string): Promise<string> {
  return (await temporaryFile(name, content)).replaceAll("\\", "/");
}

const authorityFile = () => fileOf("authority.pem", authority.cert);

describe("the environment of the guide", () => {
  it("leads to a proxy with a password", async () => {
    const service = await startTlsService(authority.issue(["pdf.example.com"]));
    const proxy = await startProxy({
      credentials: "user:password",
      hosts: { "pdf.example.com:443": service.port },
    });
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
    for (const name of names) for (const either of [name, name.toLowerCase()]) vi.stubEnv(either, undefined);
    const lines = [...guideText("network").matchAll(/^export (\w+)=(.*)$/gm)];
    for (const [, name = "", value = ""] of lines) {
      vi.stubEnv(name, value.replace("proxy.example.com:3128", `127.0.0.1:${proxy.port}`));
    }
    expect(lines.map(([, name]) => name)).toEqual(["HTTPS_PROXY", "NO_PROXY"]);
    // The authority of these tests is known to nobody: that it is met shows how far the call came.
    const error = await rejectionOf(sourceOf(clientOf(baseUrl)));
    expect(error).toMatchObject({ message: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
    expect(proxy.heard.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "CONNECT pdf.example.com:443",
    ]);
    expect(service.keys).toEqual([]);
  });
});

describe("the dispatcher of the guide", () => {
  it("goes by a proxy with a password, to a service of an authority of one's own", async () => {
    const service = await startTlsService(authority.issue(["pdf.example.com"]));
    const proxy = await startProxy({
      credentials: "user:password",
      hosts: { "pdf.example.com:443": service.port },
    });
    const pdfs = await clientOfBlock("by-a-proxy.ts", {
      "http://proxy.example.com:3128": proxy.origin,
      "authority.pem": await authorityFile(),
    });
    expect(await sourceOf(pdfs)).toBe("tls");
    expect(pdfs.transport).toBe("undici");
    expect(service.keys).toEqual(["API-Key key-of-the-tests"]);
    expect(proxy.heard.map(({ method }) => method)).toEqual(["CONNECT"]);
  });

  it("shows a certificate to a service that wants one", async () => {
    const proven: boolean[] = [];
    const server = createServer(
      { ...authority.issue(["127.0.0.1"]), ca: authority.cert, requestCert: true },
      (request, response) => {
        proven.push((request.socket as TLSSocket).authorized);
        request.resume().on("end", () => response.end(pdfFrom("mutual")));
      },
    );
    const { port, close } = await open(server);
    onTestFinished(close);
    const { cert, key } = authority.issue(["client of the tests"]);
    const pdfs = await clientOfBlock("by-a-certificate.ts", {
      [baseUrl]: `https://127.0.0.1:${port}`,
      "authority.pem": await authorityFile(),
      "client.pem": await fileOf("client.pem", cert),
      "client.key": await fileOf("client.key", key),
    });
    expect(await sourceOf(pdfs)).toBe("mutual");
    expect(proven).toEqual([true]);
  });

  it("may let a request wait for a connection for longer than `firstByte`, which begins when it is sent", async () => {
    const service = await Service.start(() => {});
    const dispatcher = new Agent({ connections: 1 });
    onTestFinished(() => dispatcher.destroy());
    const clientWith = (timeouts: ClientOptions["timeouts"]) => service.client({ dispatcher, timeouts });
    const held = clientWith({ firstByte: Number.POSITIVE_INFINITY }).generate("held", {}).bytes();
    const first = await service.request();
    let isGivenUp = false;
    const waiting = rejectionOf(clientWith({ firstByte: 30 }).generate("next", {}).bytes()).finally(() => {
      isGivenUp = true;
    });
    // By connections of its own: longer than `waiting` would have had.
    const clock = service
      .client({ timeouts: { firstByte: 60 } })
      .generate("held", {})
      .bytes();
    expect(await rejectionOf(clock)).toBeInstanceOf(TimeoutError);
    expect(isGivenUp).toBe(false);
    first.response.end(pdfFrom("network"));
    await held;
    // Sent at last, it has its 30 ms, and nobody answers.
    expect(await waiting).toMatchObject({ name: "TimeoutError", phase: "firstByte" });
  });
});

describe("the function of the guide", () => {
  interface Answer {
    readonly statusCode: number;
    readonly body: string;
    readonly isBase64Encoded?: boolean;
  }

  /** Calls the function as API Gateway does. */
  async function call(service: Service, event: object, replacements: Readonly<Record<string, string>> = {}) {
    const { handler } = await runBlock<{ handler: (event: object) => Promise<Answer> }>(
      blockOf("network", "lambda.ts"),
      { [baseUrl]: service.baseUrl, ...replacements },
    );
    return handler(event);
  }

  it("has time for three attempts, as the guide says", () => {
    const [, firstByte = "", total = ""] =
      /firstByte: ([\d_]+), total: ([\d_]+)/.exec(blockOf("network", "lambda.ts")) ?? [];
    const [firstByteMs, totalMs] = [firstByte, total].map((figure) => Number(figure.replaceAll("_", "")));
    expect(firstByteMs).toBeGreaterThan(0);
    expect(firstByteMs).toBeLessThanOrEqual((totalMs ?? 0) / 3);
    expect(guideText("network")).toContain("and a third of `total` or less");
  });

  it.each([
    ["as text", { body: '{"total":"£640.00"}', isBase64Encoded: false }],
    ["in base64", { body: Buffer.from('{"total":"£640.00"}').toString("base64"), isBase64Encoded: true }],
  ])("answers values that came %s with the document in base64", async (_how, event) => {
    const pdf = pdfOf(2_000);
    const service = await Service.start(withLength(pdf));
    const { statusCode, body, isBase64Encoded } = await call(service, event);
    expect({ statusCode, isBase64Encoded }).toEqual({ statusCode: 200, isBase64Encoded: true });
    expect(Buffer.from(body, "base64")).toEqual(pdf);
    expect(service.requests.map((received) => received.body)).toEqual(['{"total":"£640.00"}']);
  });

  it.each([{}, { body: null }, { body: "total=640" }])("asks for nothing with %j", async (event) => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    expect(await call(service, event)).toEqual({ statusCode: 400, body: "The body is no JSON." });
    expect(service.requests).toEqual([]);
  });

  it("logs an error, and answers with its own words", async () => {
    const log = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => log.mockRestore());
    const service = await Service.start(({ response }) => response.writeHead(404).end());
    const event = { body: '{"total":"£640.00"}' };
    expect(await call(service, event)).toEqual({ statusCode: 502, body: "The invoice could not be made." });
    const silent = await Service.start(() => {});
    expect(await call(silent, event, { "25e3": "50" })).toMatchObject({ statusCode: 504 });
    expect(log.mock.calls).toEqual([
      [expect.objectContaining({ name: "NotFoundError" })],
      [expect.objectContaining({ name: "TimeoutError" })],
    ]);
  });
});
