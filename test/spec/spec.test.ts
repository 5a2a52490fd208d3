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
import { type Sentence, sentences } from "./sentences.ts";

const path = "/api/v1/templates/inv_2024/generate-sync";
const values = { date: "20 November 2026", total: "£1,000,000" };
const pdf = pdfOf(2_000);

/** A service that gives one answer to every request, and a client of it. */
async function start(answer: Answer = withLength(pdf)) {
  const service = await Service.start(answer);
  return { service, client: service.client(), request: () => service.requests[0] };
}

const unproved = new Set<Sentence>(Object.values(sentences).flat());

/** A test of the client over a real socket, and the sentences of the specification that it proves. */
function prove(title: string, run: () => Promise<void>, ...proved: readonly Sentence[]): void {
  for (const sentence of proved) unproved.delete(sentence);
  it(title, run);
}

describe("a client, as the specification says,", () => {
  prove(
    "sends one POST with the key and the values, and no header of its own",
    async () => {
      const { service, client, request } = await start();
      await client.generate("inv_2024", values).bytes();
      // What `curl -X POST` would send, but for its own `user-agent` and `accept`.
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
    "It is the only document.",
    "A JavaScript client also exists, and the service can be used with any HTTP client such as cURL.",
    "A caller supplies the uid of a template and an object of values for that template.",
    "Requests are plain HTTP calls with a JSON body.",
    "Appears in the path as `:uid`.",
    "Template values (request body) | one property per placeholder of the template | JSON object; property names are defined by the template | yes",
    "Each property supplies the value for one templated field.",
    "Example shapes show string values such as a date text and a formatted money text.",
    "API key | secret string | string | yes",
    "Sent in the Authorization header.",
    "Written as `<API_KEY>`.",
    "Method | POST",
    "Path shape | `{base_url}/api/v1/templates/:uid/generate-sync`",
    "Path parameter | `uid`: string, the identifier of the template to render. Required.",
    "Request header | `Authorization`: `API-Key <API_KEY>` (required)",
    "Request header | `Content-Type`: `application/json` (required)",
    "Request body | A JSON object holding the templated values, as property name to value pairs.",
    "The templated values are passed only in the request body as one object.",
    "Other endpoints: not shown.",
    "Every request carries the header `Authorization` with the value made of the scheme word `API-Key`, one space, and the API key (`API-Key <API_KEY>`).",
    "No other authentication method is shown.",
    "The version is part of the path: the endpoint lives under the prefix `/api/v1`.",
  );

  prove(
    "sends values of any JSON type and of any size unchanged",
    async () => {
      const { client, request } = await start();
      const anyValues = {
        text: "",
        number: -1.5e-7,
        list: [true, null, { a: {} }],
        note: "x".repeat(1_200_000),
      };
      await client.generate("inv_2024", anyValues).bytes();
      expect(request()?.body).toBe(JSON.stringify(anyValues));
    },
    "Fields of the template beyond its uid, and the rules for the value types of template properties: not shown.",
  );

  prove(
    "puts the base URL before the path",
    async () => {
      const { service, client } = await start();
      for (const prefix of ["", "/", "/a/prefix", "/a/prefix/"]) {
        const baseUrl = service.baseUrl + prefix;
        await client.with({ baseUrl }).generate("inv_2024", {}).bytes();
      }
      const paths = service.requests.map(({ path }) => path);
      expect(paths).toEqual([path, path, `/a/prefix${path}`, `/a/prefix${path}`]);
    },
    "The base address of the service is `{base_url}`.",
  );

  prove(
    "returns the body of the one response, and streams it as it arrives",
    async () => {
      const { service, client, request } = await start(({ response }) =>
        response.write(pdf.subarray(0, 500)),
      );
      const parts: Uint8Array[] = [];
      for await (const chunk of client.generate("inv_2024", values)) {
        // The rest is sent only once the first part has been read.
        if (parts.length === 0) request()?.response.end(pdf.subarray(500));
        parts.push(chunk);
      }
      expect(pdf.equals(Buffer.concat(parts))).toBe(true);
      expect(service.requests).toHaveLength(1);
    },
    "The service is a REST service that produces PDF documents from stored templates.",
    "The service returns the generated PDF as the response to the same request (a synchronous call).",
    "Generated PDF | binary stream | PDF bytes | n/a",
    "Returned as the response body.",
    "Response body | A PDF stream (the generated document).",
    "When the request carries a valid API key, an existing template uid and a JSON object of values, then the response body is the PDF generated from that template with those values.",
    "The operation is synchronous: the PDF is returned in the response to the same call.",
  );

  for (const [status, type] of [
    [200, "application/pdf"],
    [201, "application/octet-stream"],
    [206, "text/html"],
    [299, "nonsense"],
  ] as const) {
    prove(
      `accepts a whole PDF with the status ${status} and the type ${type}`,
      async () => {
        const { client } = await start(saying(status, pdf, { "content-type": type }));
        const document = await client.generate("inv_2024", {});
        expect([document.status, document.headers.get("content-type")]).toEqual([status, type]);
        expect(pdf.equals(await document.bytes())).toBe(true);
      },
      "Response status code and response content type: not shown.",
    );
  }

  prove(
    "does not wait for a document after a 202 without one",
    async () => {
      const { service, client } = await start(saying(202, '{"state":"rendering"}', { location: "/jobs/1" }));
      await expect(client.generate("inv_2024", {}).bytes()).rejects.toThrow(InvalidPdfError);
      expect(service.requests).toHaveLength(1);
    },
    "No states or transitions of any resource are shown in the interface.",
    "Transitions: not shown.",
  );

  prove(
    "reports a NotFoundError that names an unknown uid, and does not send an empty one",
    async () => {
      const { service, client } = await start(saying(404));
      const error = await rejectionOf(client.generate("inv_1999", {}).bytes());
      expect(error).toBeInstanceOf(NotFoundError);
      expect(String(error)).toContain('"inv_1999"');
      await expect(client.generate("", {}).bytes()).rejects.toThrow(/template uid as the dashboard shows it/);
      expect(service.requests).toHaveLength(1);
    },
    "Template | uid | string | yes",
    "Identifies the template.",
    "Templates and API keys are managed by the account holder in a dashboard.",
  );

  prove(
    "says where API keys are if one is refused or missing",
    async () => {
      const { service, client } = await start(saying(401));
      const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(String(error)).toMatch(/dashboard.*Settings » API keys/);
      const { baseUrl } = service;
      vi.stubEnv("TEMPLATE_PDF_API_KEY", undefined);
      onTestFinished(() => void vi.unstubAllEnvs());
      expect(() => new TemplatePdf({ baseUrl })).toThrow(/dashboard.*Settings » API keys/);
    },
    "API keys are found there under Settings » API keys.",
    "Obtained from the dashboard.",
    "The API key is taken by the account holder from the dashboard under Settings » API keys.",
  );

  prove(
    "calls an API key function for every request",
    async () => {
      const { service, client } = await start();
      const keys = ["first", "second"];
      const rotating = client.with({ apiKey: async () => keys.shift() ?? "" });
      await rotating.generate("inv_2024", {}).bytes();
      await rotating.generate("inv_2024", {}).bytes();
      expect(service.keys).toEqual(["API-Key first", "API-Key second"]);
    },
    "Key lifetime, scopes and rotation: not shown.",
  );

  prove(
    "keeps the body and the headers of an error",
    async () => {
      const { client } = await start(saying(429, '{"fault":[{"no":17}]}', { "x-quota": "0" }));
      const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
      expect(error).toMatchObject({ status: 429, body: { fault: [{ no: 17 }] }, detail: undefined });
      expect(RateLimitError.is(error) && error.headers?.get("x-quota")).toBe("0");
    },
    "Error responses, error codes, status codes and error body shape: not shown.",
    "Rate limits, size limits and time-outs: not shown.",
  );

  prove(
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
    "This document covers the whole interface of the service: its purpose, resources, states, the one endpoint, authentication, events, errors, limits and versioning.",
    "Events, webhooks or notifications: not shown.",
    "The only version shown is `v1`.",
    "Deprecation policy and compatibility rules: not shown.",
  );
});

it("the tests of this file prove every sentence of the specification", () => {
  expect([...unproved]).toEqual([]);
});
