import { createEndpoint, type Produce } from "../../src/service/endpoint.ts";
import { unknownTemplate } from "../../src/service/problem.ts";
import { requireApiKey } from "../../src/service/require-api-key.ts";
import { renderPdf } from "../support/render-pdf.ts";

/** What of one request reached the other side, as it was sent. */
export interface Call {
  readonly method: string;
  /** Path and query, still percent-encoded. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/** An answer in place of the endpoint's, for all that the spec does not show. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
}

/** A response of the endpoint, an answer to be written as it is, or no answer at all. */
export type Reply = Response | Answer | "hang up";

/** Answers one request; `call` tells what only the wire knows. */
export type Receive = (request: Request, call: Omit<Call, "body">) => Promise<Reply>;

/** One way for requests to travel from a client to the service. */
export interface Carrier {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** By this header a carrier knows a request that comes from no client of ours. */
export const plainHttp = { "user-agent": "plain-http" } as const;

/** A real PDF: the uid, and a line for each value. */
const produceDocument: Produce = async ({ uid, values }) => ({
  bytes: await renderPdf({
    content: [
      `Template ${uid}`,
      ...Object.entries(values).map(
        ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
      ),
    ],
  }),
});

/** The service: the spec's endpoint, a renderer behind it, and what a test puts in their way. */
export class Service {
  readonly baseUrl: string;
  readonly apiKey = "key_9f2c41d7";
  /** Holds every character that a key can have. */
  readonly oddApiKey = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index));
  /** The uids of the templates that are stored. */
  readonly templates = new Set(["inv_2024", "certificate"]);
  /** Every request that arrived, in order. */
  readonly calls: Call[] = [];
  /** Makes the document in place of the renderer. */
  produce: Produce = produceDocument;
  /** Answers in place of the endpoint. */
  answer: (() => Reply | Promise<Reply>) | undefined;
  /** What something on the way makes of every request. */
  damage: { readonly body?: string; readonly contentType?: string } | undefined;

  readonly #endpoint = createEndpoint({
    authorize: requireApiKey([this.apiKey, this.oddApiKey]),
    produce: (order) => {
      if (!this.templates.has(order.uid)) throw unknownTemplate(order.uid);
      return this.produce(order);
    },
  });

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  readonly receive: Receive = async (request, call) => {
    const body = new Uint8Array(await request.clone().arrayBuffer());
    this.calls.push({ ...call, body });
    return this.answer ? this.answer() : this.#endpoint(this.#onTheWay(request));
  };

  /** The one request that arrived. */
  get call(): Call {
    const [call, ...others] = this.calls;
    if (!call || others.length > 0) throw new Error(`Expected 1 call, got ${this.calls.length}.`);
    return call;
  }

  /** Sends a request without the client, as any HTTP client would. */
  send(path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
    const { method = "POST", headers, body = "{}" } = init;
    const given = { authorization: `API-Key ${this.apiKey}`, "content-type": "application/json", ...headers };
    return fetch(this.baseUrl + path, { method, headers: { ...given, ...plainHttp }, body });
  }

  #onTheWay(request: Request): Request {
    if (!this.damage) return request;
    const headers = new Headers(request.headers);
    headers.delete("content-length");
    if (this.damage.contentType !== undefined) headers.set("content-type", this.damage.contentType);
    return new Request(request.url, { method: "POST", headers, body: this.damage.body ?? "{}" });
  }
}

/** The value of a header, by its name in lower case; all of them where it was sent more than once. */
export function headerOf(call: Call, name: string): string {
  const values = call.headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);
  return values.join(" AND ");
}

/** The body as text. Throws where it is no UTF-8. */
export function textOf({ body }: Call): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
}

/** A real PDF, for answers that do not come from the endpoint. */
export const samplePdf: Uint8Array<ArrayBuffer> = new Uint8Array(
  await renderPdf({ content: "A whole document." }),
);
