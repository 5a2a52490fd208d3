import type { SeenRequest } from "./exchange.ts";

/** One call, and what is to become of it. */
export interface PlannedCall {
  readonly title: string;
  /** Of the answer. */
  readonly status: number;
  /** What the document says of it: `described`, or wrong in some way. Default: described. */
  readonly request?: "described" | "wrong" | "of another operation";
  /** What differs from a call that gives a document. A header of "" is left out. */
  readonly given?: Given;
}

export interface Given {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const uid = "inv_2024";
export const path = `/api/v1/templates/${uid}/generate-sync`;
export const apiKey = "dev-key";
const goodValues = '{"date":"20 November 2026","total":"£1,000,000"}';

const wrong = "wrong";
const elsewhere = "of another operation";

/** What whoever plays the service answers, whether it renders documents or not. */
export const calls: readonly PlannedCall[] = [
  { title: "with key, template and values", status: 200 },
  {
    title: "with a charset",
    status: 200,
    given: { headers: { "content-type": "application/json; charset=utf-8" } },
  },
  { title: "with another key", status: 401, given: { headers: { authorization: "API-Key other" } } },
  { title: "without a key", status: 401, request: wrong, given: { headers: { authorization: "" } } },
  {
    title: "with another scheme",
    status: 401,
    request: wrong,
    given: { headers: { authorization: `Bearer ${apiKey}` } },
  },
  {
    title: "for a template that is not there",
    status: 404,
    given: { path: path.replace(uid, "inv%2F2025") },
  },
  { title: "with values that do not fit", status: 422, given: { body: '{"total":1000000}' } },
  { title: "with half an object", status: 400, request: wrong, given: { body: '{"total":' } },
  { title: "with an array", status: 400, request: wrong, given: { body: "[]" } },
  { title: "with null", status: 400, request: wrong, given: { body: "null" } },
  { title: "with nothing", status: 400, request: wrong, given: { body: "" } },
  {
    title: "as text",
    status: 415,
    request: wrong,
    given: { headers: { "content-type": "text/plain" } },
  },
  { title: "compressed", status: 415, given: { headers: { "content-encoding": "gzip" } } },
  { title: "by PUT", status: 405, request: elsewhere, given: { method: "PUT" } },
  { title: "by GET", status: 405, request: elsewhere, given: { method: "GET" } },
  { title: "of another version", status: 404, request: elsewhere, given: { path: path.replace("v1", "v2") } },
  { title: "without a uid", status: 404, request: elsewhere, given: { path: path.replace(uid, "") } },
  { title: "of the root", status: 404, request: elsewhere, given: { path: "/" } },
];

/** What only the emulator does: it has a limit of size, and faults. */
export const callsOfTheEmulator: readonly PlannedCall[] = [
  { title: "with too many values", status: 413, given: { body: `{"total":"${"9".repeat(2000)}"}` } },
  { title: "that is to be refused", status: 429, given: { headers: fault("429 retry-after 2") } },
  { title: "that is to fail", status: 500, given: { headers: fault("500") } },
  { title: "that a busy service is to refuse", status: 503, given: { headers: fault("503 retry-after 1") } },
  { title: "with a fault that there is not", status: 400, given: { headers: fault("never") } },
];

export function fault(what: string): Record<string, string> {
  return { "x-emulator-fault": what };
}

/** Fills in what a call does not say. */
export function requestOf(given: Given = {}): SeenRequest {
  const { method = "POST", body = goodValues } = given;
  const headers = new Headers({
    authorization: `API-Key ${apiKey}`,
    "content-type": "application/json",
    ...given.headers,
  });
  for (const [name, value] of [...headers]) if (value === "") headers.delete(name);
  return { method, path: given.path ?? path, headers, body: method === "GET" ? "" : body };
}
