import { expect } from "vitest";
import type { sentences } from "../../spec/sentences.ts";
import { type OpenApi, onlyOperation } from "./document.ts";

type Check = (document: OpenApi) => void;
type Sentence = { [S in keyof typeof sentences]: (typeof sentences)[S][number] }[keyof typeof sentences];

const unsayable = "OpenAPI cannot say this";

/** Behind each sentence of the specification: where it stands in the document, if OpenAPI has words for it. */
export const facts: Readonly<Record<Sentence, Check | typeof unsayable>> = {
  "API keys are found there under Settings » API keys.": ({ info }) =>
    expect(info.description).toContain("Settings » API keys"),
  "The base address of the service is `{base_url}`.": ({ servers }) => {
    expect(servers[0]?.url).toBe("{baseUrl}");
    expect(Object.keys(servers[0]?.variables ?? {})).toEqual(["baseUrl"]);
  },
  "Template | uid | string | yes": (document) =>
    expect(uidOf(document)).toMatchObject({ required: true, schema: { type: "string" } }),
  "Appears in the path as `:uid`.": (document) => expect(uidOf(document)?.in).toBe("path"),
  "Template values (request body) | one property per placeholder of the template | JSON object; property names are defined by the template | yes":
    (document) => {
      expect(valuesOf(document)).toMatchObject({ type: "object", additionalProperties: true });
      expect(onlyOperation(document).operation.requestBody.required).toBe(true);
    },
  "Example shapes show string values such as a date text and a formatted money text.": (document) => {
    const { requestBody } = onlyOperation(document).operation;
    const [example] = Object.values(requestBody.content["application/json"]?.examples ?? {});
    expect(example?.value).toEqual({
      date: expect.stringMatching(/^\d+ \w+ \d{4}$/),
      total: expect.stringMatching(/^£[\d,]+$/),
    });
  },
  "Written as `<API_KEY>`.": ({ components }) =>
    expect(components.securitySchemes["apiKey"]?.description).toContain("<API_KEY>"),
  "Generated PDF | binary stream | PDF bytes | n/a": (document) =>
    expect(success(document)).toMatchObject({ schema: { type: "string", format: "binary" } }),
  "Fields of the template beyond its uid, and the rules for the value types of template properties: not shown.":
    (document) => {
      expect(Object.keys(valuesOf(document)).sort()).toEqual(["additionalProperties", "description", "type"]);
      expect(Object.keys(uidOf(document)?.schema ?? {})).toEqual(["type"]);
    },
  "Method | POST": ({ paths }) => expect(Object.values(paths).flatMap(Object.keys)).toEqual(["post"]),
  "Path shape | `{base_url}/api/v1/templates/:uid/generate-sync`": ({ paths }) =>
    expect(Object.keys(paths)).toEqual(["/api/v1/templates/{uid}/generate-sync"]),
  "Path parameter | `uid`: string, the identifier of the template to render. Required.": (document) =>
    expect(onlyOperation(document).operation.parameters).toMatchObject([
      { name: "uid", in: "path", required: true, schema: { type: "string" } },
    ]),
  "Request header | `Authorization`: `API-Key <API_KEY>` (required)": ({ components, security }) => {
    expect(components.securitySchemes["apiKey"]).toMatchObject({
      type: "apiKey",
      in: "header",
      name: "Authorization",
      description: expect.stringContaining("`API-Key <API_KEY>`"),
    });
    // Without an empty requirement beside it, which would make the key optional.
    expect(security).toEqual([{ apiKey: [] }]);
  },
  "Request header | `Content-Type`: `application/json` (required)": (document) =>
    expect(Object.keys(onlyOperation(document).operation.requestBody.content)).toEqual(["application/json"]),
  "Request body | A JSON object holding the templated values, as property name to value pairs.": (document) =>
    expect(onlyOperation(document).operation.requestBody.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/TemplateValues",
    }),
  "Response body | A PDF stream (the generated document).": (document) =>
    expect(success(document)).toMatchObject({ schema: { contentMediaType: "application/pdf" } }),
  "The templated values are passed only in the request body as one object.": (document) =>
    expect(onlyOperation(document).operation.parameters.map((parameter) => parameter.in)).toEqual(["path"]),
  "The operation is synchronous: the PDF is returned in the response to the same call.": (document) =>
    expect(onlyOperation(document).operation.description).toContain("synchronous"),
  "Other endpoints: not shown.": (document) => expect(() => onlyOperation(document)).not.toThrow(),
  "Response status code and response content type: not shown.": (document) => {
    const { responses } = onlyOperation(document).operation;
    expect(Object.keys(responses)).toEqual(["2XX", "default"]);
    expect(responses["2XX"]?.description).toMatch(/shows neither the status nor the content type/);
  },
  "Every request carries the header `Authorization` with the value made of the scheme word `API-Key`, one space, and the API key (`API-Key <API_KEY>`).":
    ({ components }) =>
      expect(components.securitySchemes["apiKey"]?.description).toContain(
        "the scheme word `API-Key`, one space, and the API key: `API-Key <API_KEY>`",
      ),
  "No other authentication method is shown.": ({ components }) =>
    expect(Object.keys(components.securitySchemes)).toEqual(["apiKey"]),
  "Events, webhooks or notifications: not shown.": (document) => {
    expect(document).not.toHaveProperty("webhooks");
    expect(onlyOperation(document).operation).not.toHaveProperty("callbacks");
  },
  "Error responses, error codes, status codes and error body shape: not shown.": (document) =>
    expect(onlyOperation(document).operation.responses["default"]?.description).toMatch(
      /shows no error status, no error code and no error body/,
    ),
  "The version is part of the path: the endpoint lives under the prefix `/api/v1`.": ({ paths }) =>
    expect(Object.keys(paths).every((path) => path.startsWith("/api/v1/"))).toBe(true),
  "The only version shown is `v1`.": ({ info }) => expect(info.version).toBe("v1"),
  "This document covers the whole interface of the service: its purpose, resources, states, the one endpoint, authentication, events, errors, limits and versioning.":
    unsayable,
  "It is the only document.": unsayable,
  "The service is a REST service that produces PDF documents from stored templates.": unsayable,
  "A caller supplies the uid of a template and an object of values for that template.": unsayable,
  "The service returns the generated PDF as the response to the same request (a synchronous call).": (
    document,
  ) =>
    expect(onlyOperation(document).operation.description).toContain(
      "the PDF is the response to the same request",
    ),
  "Templates and API keys are managed by the account holder in a dashboard.": ({ info }) =>
    expect(info.description).toContain("Templates and API keys are managed in the service's dashboard"),
  "Requests are plain HTTP calls with a JSON body.": (document) =>
    expect(Object.keys(onlyOperation(document).operation.requestBody.content)).toEqual(["application/json"]),
  "A JavaScript client also exists, and the service can be used with any HTTP client such as cURL.":
    unsayable,
  "Identifies the template.": (document) =>
    expect(uidOf(document)?.description).toContain("Identifies the template."),
  "Each property supplies the value for one templated field.": (document) =>
    expect(valuesOf(document)["description"]).toContain("One property for each placeholder of the template."),
  "API key | secret string | string | yes": ({ security }) => expect(security).toEqual([{ apiKey: [] }]),
  "Sent in the Authorization header.": ({ components }) =>
    expect(components.securitySchemes["apiKey"]).toMatchObject({ in: "header", name: "Authorization" }),
  "Obtained from the dashboard.": ({ info }) =>
    expect(info.description).toMatch(/dashboard; the keys are found there/),
  "Returned as the response body.": (document) => expect(success(document)).toBeDefined(),
  "No states or transitions of any resource are shown in the interface.": unsayable,
  "Transitions: not shown.": unsayable,
  "When the request carries a valid API key, an existing template uid and a JSON object of values, then the response body is the PDF generated from that template with those values.":
    unsayable,
  "The API key is taken by the account holder from the dashboard under Settings » API keys.": ({ info }) =>
    expect(info.description).toContain("the keys are found there under Settings » API keys"),
  "Key lifetime, scopes and rotation: not shown.": unsayable,
  "Deprecation policy and compatibility rules: not shown.": unsayable,
  "Rate limits, size limits and time-outs: not shown.": unsayable,
};

function uidOf(document: OpenApi) {
  return onlyOperation(document).operation.parameters.find(({ name }) => name === "uid");
}

function valuesOf({ components }: OpenApi) {
  return components.schemas["TemplateValues"] ?? {};
}

function success(document: OpenApi) {
  return onlyOperation(document).operation.responses["2XX"]?.content["application/pdf"];
}
