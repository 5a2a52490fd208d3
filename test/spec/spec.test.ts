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

const path = "/api/v1/templates/inv_2024/generate-sync";
const values = { date: "20 November 2026", total: "£1,000,000" };
const pdf = pdfOf(2_000);

/** Starts a service that sends the same response to every request, and creates a client for it. */
async function start(answer: Answer = withLength(pdf)) {
  const service = await Service.start(answer);
  return { service, client: service.client(), request: () => service.requests[0] };
}

/** The sections of the interface specification. */
const sections = [
  ...["Interface Specification", "What the service does", "Resources and their fields", "Endpoints"],
  ...["States and transitions", "Authentication", "Events", "Errors", "Limits", "Versioning"],
] as const;
const proved = new Set<string>();

/** Declares a test of the client over a real socket, and the sections of the specification that it proves. */
function prove(by: readonly (typeof sections)[number][], title: string, run: () => Promise<void>): void {
  for (const section of by) proved.add(section);
  it(title, run);
}

describe("a client that follows the specification", () => {
  prove(
    ["Endpoints", "Resources and their fields", "Authentication", "Versioning", "What the service does"],
    "sends one POST with the API key and the values, without additional headers",
    async () => {
      const { service, client, request } = await start();
      await client.generate("inv_2024", values).bytes();
      // The headers of `curl -X POST`, except its `user-agent` and `accept`.
      expect(service.requests).toHaveLength(1);
      expect([request()?.method, request()?.path]).toEqual(["POST", path]);
      expect(request()?.headers).toEqual({
        host: `127.0.0.1:${service.port}`,
        connection: "keep-alive",
        authorization: "API-Key key-of-the-tests",
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(JSON.stringify(values))),
      });
      expect(request()?.body).toBe(JSON.stringify(values));
    },
  );

  prove(["Resources and their fields"], "sends values of any JSON type and size unchanged", async () => {
    const { client, request } = await start();
    const anyValues = { text: "", number: -1.5e-7, list: [true, null, {}], note: "x".repeat(1_200_000) };
    await client.generate("inv_2024", anyValues).bytes();
    expect(request()?.body).toBe(JSON.stringify(anyValues));
  });

  prove(["What the service does"], "adds the path to the base URL", async () => {
    const { service, client } = await start();
    for (const prefix of ["", "/", "/a/prefix", "/a/prefix/"]) {
      const baseUrl = service.baseUrl + prefix;
      await client.with({ baseUrl }).generate("inv_2024", {}).bytes();
    }
    const paths = service.requests.map(({ path }) => path);
    expect(paths).toEqual([path, path, `/a/prefix${path}`, `/a/prefix${path}`]);
  });

  prove(
    ["Endpoints", "Resources and their fields"],
    "streams the body of the response as it arrives",
    async () => {
      const { service, client, request } = await start(({ response }) =>
        response.write(pdf.subarray(0, 500)),
      );
      const parts: Uint8Array[] = [];
      for await (const chunk of client.generate("inv_2024", values)) {
        // The rest is sent only after the first part has been read.
        if (parts.length === 0) request()?.response.end(pdf.subarray(500));
        parts.push(chunk);
      }
      expect(pdf.equals(Buffer.concat(parts))).toBe(true);
      expect(service.requests).toHaveLength(1);
    },
  );

  for (const [status, type] of [
    [200, "application/pdf"],
    [201, "text/html"],
    [299, "nonsense"],
  ] as const) {
    prove(["Endpoints"], `accepts a complete PDF with status ${status} and the type ${type}`, async () => {
      const { client } = await start(saying(status, pdf, { "content-type": type }));
      const document = await client.generate("inv_2024", {});
      expect([document.status, document.headers.get("content-type")]).toEqual([status, type]);
      expect(pdf.equals(await document.bytes())).toBe(true);
    });
  }

  prove(["States and transitions"], "does not poll after a 202 without a document", async () => {
    const { service, client } = await start(saying(202, '{"state":"rendering"}', { location: "/jobs/1" }));
    await expect(client.generate("inv_2024", {}).bytes()).rejects.toThrow(InvalidPdfError);
    expect(service.requests).toHaveLength(1);
  });

  prove(
    ["Resources and their fields"],
    "rejects with a NotFoundError that contains the unknown uid, and does not send an empty uid",
    async () => {
      const { service, client } = await start(saying(404));
      const error = await rejectionOf(client.generate("inv_1999", {}).bytes());
      expect(error).toBeInstanceOf(NotFoundError);
      expect(String(error)).toContain('"inv_1999"');
      await expect(client.generate("", {}).bytes()).rejects.toThrow(/template uid from the dashboard/);
      expect(service.requests).toHaveLength(1);
    },
  );

  prove(["Authentication"], "reports where to find API keys if a key is rejected or missing", async () => {
    const { service, client } = await start(saying(401));
    const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(String(error)).toMatch(/dashboard.*Settings » API keys/);
    const { baseUrl } = service;
    vi.stubEnv("TEMPLATE_PDF_API_KEY", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => new TemplatePdf({ baseUrl })).toThrow(/dashboard.*Settings » API keys/);
  });

  prove(["Authentication"], "calls an API key function for each request", async () => {
    const { service, client } = await start();
    const keys = ["first", "second"];
    const rotating = client.with({ apiKey: async () => keys.shift() ?? "" });
    await rotating.generate("inv_2024", {}).bytes();
    await rotating.generate("inv_2024", {}).bytes();
    expect(service.keys).toEqual(["API-Key first", "API-Key second"]);
  });

  prove(["Errors", "Limits"], "keeps the body and the headers of an error", async () => {
    const { client } = await start(saying(429, '{"fault":[{"no":17}]}', { "x-quota": "0" }));
    const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
    expect(error).toMatchObject({ status: 429, body: { fault: [{ no: 17 }] }, detail: undefined });
    expect(RateLimitError.is(error) && error.headers?.get("x-quota")).toBe("0");
  });

  prove(
    ["Interface Specification", "Events", "Versioning"],
    "has one operation, and no option for a version or a webhook",
    async () => {
      const properties = Object.getOwnPropertyNames(TemplatePdf.prototype).sort();
      expect(properties).toEqual(["close", "constructor", "generate", "transport", "with"]);
      const { client } = await start();
      for (const option of ["version", "apiVersion", "webhook", "callbackUrl"]) {
        const options = { [option]: "v2" } as ClientOptions;
        expect(() => client.with(options)).toThrow(ConfigurationError);
      }
    },
  );
});

it("the tests in this file cover every section of the specification", () => {
  expect(sections.filter((section) => !proved.has(section))).toEqual([]);
});
