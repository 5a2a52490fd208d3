import {
  AuthenticationError,
  type ClientOptions,
  ConfigurationError,
  InvalidPdfError,
  NotFoundError,
  RateLimitError,
  TemplatePdf,
} from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Answer, pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";

// The promises of the interface specification, over a real socket. Each title ends with its section.

const path = "/api/v1/templates/inv_2024/generate-sync";
const values = { date: "20 November 2026", total: "£1,000,000" };
const pdf = pdfOf(2_000);

/** Starts a service that sends the same response to every request, and creates a client for it. */
async function start(answer: Answer = withLength(pdf), options: ClientOptions = {}) {
  const service = await Service.start(answer);
  return { service, client: service.client(options) };
}

describe("a client that follows the specification", () => {
  it("sends one POST request with the API key and the values (Endpoints)", async () => {
    const { service, client } = await start();
    await client.generate("inv_2024", values).bytes();
    // The same names as with `curl -X POST`.
    expect(service.requests).toMatchObject([{ method: "POST", path, body: JSON.stringify(values) }]);
    expect(service.requests[0]?.headers).toEqual({
      host: `127.0.0.1:${service.port}`,
      connection: "keep-alive",
      authorization: "API-Key key-of-the-tests",
      "content-type": "application/json",
      accept: "application/pdf",
      "user-agent": expect.stringMatching(/^template-pdf\/\d+\.\d+\.\d+/),
      "content-length": String(Buffer.byteLength(JSON.stringify(values))),
    });
  });

  it("appends the endpoint's path to the base URL (What the service does)", async () => {
    const { service, client } = await start();
    for (const prefix of ["", "/", "/a/prefix", "/a/prefix/"]) {
      const baseUrl = service.baseUrl + prefix;
      await client.with({ baseUrl }).generate("inv_2024", {}).bytes();
    }
    const paths = service.requests.map(({ path }) => path);
    expect(paths).toEqual([path, path, `/a/prefix${path}`, `/a/prefix${path}`]);
  });

  it.each([
    [200, "application/pdf"],
    [299, "nonsense"],
  ])("accepts a complete PDF with the status %i and the type %s (Endpoints)", async (status, type) => {
    const { client } = await start(saying(status, pdf, { "content-type": type }));
    const document = await client.generate("inv_2024", {});
    expect({ status: document.status, contentType: document.headers.get("content-type") }).toEqual({
      status,
      contentType: type,
    });
    expect(pdf.equals(await document.bytes())).toBe(true);
  });

  it("does not poll after a 202 without a document (States and transitions)", async () => {
    const answer = saying(202, '{"state":"rendering"}', { location: "/jobs/1" });
    const { service, client } = await start(answer, { retry: { limit: 2 } });
    await expect(client.generate("inv_2024", {}).bytes()).rejects.toThrow(InvalidPdfError);
    expect(service.requests).toHaveLength(1);
  });

  it("names an unknown uid in a NotFoundError, and rejects an empty uid (Resources)", async () => {
    const { service, client } = await start(saying(404), { retry: { limit: 2 } });
    const error = await rejectionOf(client.generate("inv_1999", {}).bytes());
    expect(error).toBeInstanceOf(NotFoundError);
    expect(String(error)).toContain('"inv_1999"');
    await expect(client.generate("", {}).bytes()).rejects.toThrow(/template uid from the dashboard/);
    expect(service.requests).toHaveLength(1);
  });

  it("says where to find API keys if a key is rejected or omitted (Authentication)", async () => {
    const { service, client } = await start(saying(401));
    const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(String(error)).toMatch(/dashboard.*Settings » API keys/);
    vi.stubEnv("TEMPLATE_PDF_API_KEY", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { baseUrl } = service;
    expect(() => new TemplatePdf({ baseUrl })).toThrow(/dashboard.*Settings » API keys/);
  });

  it("keeps the body and headers of an error response (Errors and limits)", async () => {
    const { client } = await start(saying(429, '{"fault":[{"no":17}]}', { "x-quota": "0" }));
    const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
    expect(error).toMatchObject({ status: 429, body: { fault: [{ no: 17 }] }, detail: undefined });
    expect(RateLimitError.is(error) && error.headers?.get("x-quota")).toBe("0");
  });

  it("has one operation, and rejects options for versions and webhooks (Versioning and events)", async () => {
    const properties = Object.getOwnPropertyNames(TemplatePdf.prototype).sort();
    expect(properties).toEqual(["close", "constructor", "generate", "transport", "with"]);
    const { client } = await start();
    for (const option of ["version", "apiVersion", "webhook", "callbackUrl"]) {
      const options = { [option]: "v2" } as ClientOptions;
      expect(() => client.with(options)).toThrow(ConfigurationError);
    }
  });
});
