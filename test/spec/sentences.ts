/**
 * The interface specification of the Template PDF Generation Service: every sentence and every row of a table,
 * word by word, in its order. A row's cells are joined as they stand; the sentences in its last cell stand alone
 * where each says something of its own. Left out are the rows that only name columns.
 */
export const sentences = {
  "Interface Specification": [
    "This document covers the whole interface of the service: its purpose, resources, states, the one endpoint, authentication, events, errors, limits and versioning.",
    "It is the only document.",
  ],
  "What the service does": [
    "The service is a REST service that produces PDF documents from stored templates.",
    "A caller supplies the uid of a template and an object of values for that template.",
    "The service returns the generated PDF as the response to the same request (a synchronous call).",
    "Templates and API keys are managed by the account holder in a dashboard.",
    "API keys are found there under Settings » API keys.",
    "Requests are plain HTTP calls with a JSON body.",
    "A JavaScript client also exists, and the service can be used with any HTTP client such as cURL.",
    "The base address of the service is `{base_url}`.",
  ],
  "Resources and their fields": [
    "Template | uid | string | yes",
    "Identifies the template.",
    "Appears in the path as `:uid`.",
    "Template values (request body) | one property per placeholder of the template | JSON object; property names are defined by the template | yes",
    "Each property supplies the value for one templated field.",
    "Example shapes show string values such as a date text and a formatted money text.",
    "API key | secret string | string | yes",
    "Sent in the Authorization header.",
    "Obtained from the dashboard.",
    "Written as `<API_KEY>`.",
    "Generated PDF | binary stream | PDF bytes | n/a",
    "Returned as the response body.",
    "Fields of the template beyond its uid, and the rules for the value types of template properties: not shown.",
  ],
  "States and transitions": [
    "No states or transitions of any resource are shown in the interface.",
    "Transitions: not shown.",
  ],
  Endpoints: [
    "Method | POST",
    "Path shape | `{base_url}/api/v1/templates/:uid/generate-sync`",
    "Path parameter | `uid`: string, the identifier of the template to render. Required.",
    "Request header | `Authorization`: `API-Key <API_KEY>` (required)",
    "Request header | `Content-Type`: `application/json` (required)",
    "Request body | A JSON object holding the templated values, as property name to value pairs.",
    "Response body | A PDF stream (the generated document).",
    "When the request carries a valid API key, an existing template uid and a JSON object of values, then the response body is the PDF generated from that template with those values.",
    "The templated values are passed only in the request body as one object.",
    "The operation is synchronous: the PDF is returned in the response to the same call.",
    "Other endpoints: not shown.",
    "Response status code and response content type: not shown.",
  ],
  Authentication: [
    "Every request carries the header `Authorization` with the value made of the scheme word `API-Key`, one space, and the API key (`API-Key <API_KEY>`).",
    "The API key is taken by the account holder from the dashboard under Settings » API keys.",
    "No other authentication method is shown.",
    "Key lifetime, scopes and rotation: not shown.",
  ],
  Events: ["Events, webhooks or notifications: not shown."],
  Errors: ["Error responses, error codes, status codes and error body shape: not shown."],
  Limits: ["Rate limits, size limits and time-outs: not shown."],
  Versioning: [
    "The version is part of the path: the endpoint lives under the prefix `/api/v1`.",
    "The only version shown is `v1`.",
    "Deprecation policy and compatibility rules: not shown.",
  ],
} as const;

export type Sentence = {
  [S in keyof typeof sentences]: (typeof sentences)[S][number];
}[keyof typeof sentences];
