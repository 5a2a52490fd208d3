// Checked by the compiler, never run: every line below a `@ts-expect-error` has to be an error.

import {
  type Bytes,
  type GeneratedPdf,
  type PendingPdf,
  type Retry,
  type Saved,
  TemplatePdf,
  type Timeouts,
} from "template-pdf";
import { Agent, MockAgent, ProxyAgent, fetch as undiciFetch } from "undici";
import { expectTypeOf } from "vitest";

interface Invoice {
  date: string;
  lines?: { text: string }[];
}
interface Templates {
  inv: Invoice;
  cert: { name: string };
}

const untyped = new TemplatePdf();
const typed = new TemplatePdf<Templates>();
declare const values: Invoice;
declare const anyUid: string;
declare const maybe: string | undefined;

// Without a map, any uid and any object will do.
untyped.generate("anything", { a: 1, b: [new Date()] });
untyped.generate(anyUid, values);
untyped.generate("anything", {}, { signal: AbortSignal.timeout(1) });
// @ts-expect-error: values are an object
untyped.generate("anything", "text");
// @ts-expect-error: values are an object
untyped.generate("anything", null);
// @ts-expect-error: values cannot be missing
untyped.generate("anything");
// @ts-expect-error: a uid is a string
untyped.generate(7, {});
// @ts-expect-error: the options have no such member
untyped.generate("anything", {}, { timeout: 5 });

// With a map, uids and values have to be those of the map.
typed.generate("inv", { date: "20 November 2026" });
typed.generate("inv", values);
typed.generate("cert", { name: "Ada" });
new TemplatePdf<{ inv: { date: string } }>().generate("inv", { date: "" });
// @ts-expect-error: there is no such uid
typed.generate("invoice", { date: "" });
// @ts-expect-error: any string is no uid of the map
typed.generate(anyUid, values);
// @ts-expect-error: a value is missing
typed.generate("inv", {});
// @ts-expect-error: there is a value too many
typed.generate("inv", { date: "", total: "" });
// @ts-expect-error: a value has the wrong type
typed.generate("inv", { date: new Date() });
// @ts-expect-error: the values are those of another template
typed.generate("cert", { date: "" });
// @ts-expect-error: a map holds objects
new TemplatePdf<{ inv: string }>();
expectTypeOf<ReturnType<typeof typed.with>>().toEqualTypeOf<TemplatePdf<Templates>>();
expectTypeOf(typed.transport).toEqualTypeOf<"undici" | "fetch">();
// @ts-expect-error: what carries the requests cannot be set
typed.transport = "fetch";

// Every form has its type, on the document and on the document on its way.
export async function forms(pending: PendingPdf): Promise<void> {
  const pdf = await pending;
  expectTypeOf(pdf).toEqualTypeOf<GeneratedPdf>();
  expectTypeOf<Awaited<PendingPdf>>().toEqualTypeOf<GeneratedPdf>();
  const promise: Promise<GeneratedPdf> = pending;
  const bytes = await pending.bytes();
  expectTypeOf(bytes).toEqualTypeOf<Bytes>();
  const plain: Uint8Array<ArrayBuffer> = bytes;
  const buffer = await pending.buffer();
  expectTypeOf(buffer).toEqualTypeOf<Buffer<ArrayBuffer>>();
  const arrayBuffer = await pending.arrayBuffer();
  expectTypeOf(arrayBuffer).toEqualTypeOf<ArrayBuffer>();
  const blob = await pending.blob();
  expectTypeOf(blob).toEqualTypeOf<Blob>();
  const stream = await pending.stream();
  expectTypeOf(stream).toEqualTypeOf<ReadableStream<Bytes>>();
  const readable = await pending.nodeStream();
  expectTypeOf(readable).toEqualTypeOf<import("node:stream").Readable>();
  const response = await pending.response({ status: 201 });
  expectTypeOf(response).toEqualTypeOf<Response>();
  const saved = await pending.saveTo(new URL("file:///tmp/a.pdf"));
  expectTypeOf(saved).toEqualTypeOf<Saved>();
  expectTypeOf<{ [K in keyof Saved]: Saved[K] }>().toEqualTypeOf<{
    readonly path: string;
    readonly bytes: number;
  }>();
  const cancelled = await pending.cancel("no longer wanted");
  expectTypeOf(cancelled).toEqualTypeOf<void>();
  for await (const chunk of pending) {
    expectTypeOf(chunk).toEqualTypeOf<Bytes>();
  }
  for await (const chunk of pdf) {
    expectTypeOf(chunk).toEqualTypeOf<Bytes>();
  }
  // Of a document that has arrived, three forms need no waiting.
  expectTypeOf<
    [
      ReturnType<GeneratedPdf["stream"]>,
      ReturnType<GeneratedPdf["nodeStream"]>,
      ReturnType<GeneratedPdf["response"]>,
    ]
  >().toEqualTypeOf<[ReadableStream<Bytes>, import("node:stream").Readable, Response]>();
  expectTypeOf<
    Pick<GeneratedPdf, "status" | "headers" | "requestId" | "filename" | "contentLength" | "attempts">
  >().toEqualTypeOf<{
    readonly status: number;
    readonly headers: Headers;
    readonly requestId: string | undefined;
    readonly filename: string | undefined;
    readonly contentLength: number | undefined;
    readonly attempts: number;
  }>();
  // @ts-expect-error: a document on its way has no status yet
  pending.status;
  // @ts-expect-error: an id may be missing
  pdf.requestId.length;
  void [promise, plain];
}

// Both the client and a document may be left to `await using`.
export async function disposal(): Promise<void> {
  await using pdfs = new TemplatePdf();
  await using pdf = await pdfs.generate("inv", {});
  await pdf.blob();
}

// What is undefined counts as missing, also where optional members must not be undefined.
export const missing = new TemplatePdf({
  baseUrl: undefined,
  apiKey: maybe,
  headers: { "x-tenant": undefined },
  credentials: undefined,
  timeouts: undefined,
  retry: undefined,
  maxBytes: undefined,
  verify: undefined,
  fetch: undefined,
  dispatcher: undefined,
  allowInsecureHttp: undefined,
  dangerouslyAllowBrowser: undefined,
});
missing.generate(
  "inv",
  {},
  {
    signal: undefined,
    headers: undefined,
    timeouts: {
      connect: undefined,
      firstByte: undefined,
      stall: undefined,
      unread: undefined,
      total: undefined,
    },
    retry: { limit: undefined, mayRenderTwice: undefined },
    maxBytes: undefined,
    verify: undefined,
  },
);

// What the options take.
new TemplatePdf({ baseUrl: new URL("https://pdf.example.com"), apiKey: null });
new TemplatePdf({ apiKey: () => "k3y", headers: new Headers() });
new TemplatePdf({ apiKey: async () => "k3y", headers: [["x-tenant", "7"]] });
new TemplatePdf({ headers: new Map([["x-tenant", "7"]]) });
new TemplatePdf({ fetch: globalThis.fetch });
new TemplatePdf({ fetch: undiciFetch });
new TemplatePdf({ fetch: async (url, init) => new Response(url + init.body) });
new TemplatePdf({ fetch: (url, init) => fetch(url, { ...init, keepalive: true }) });
new TemplatePdf({ dispatcher: new Agent() });
new TemplatePdf({ dispatcher: new MockAgent() });
new TemplatePdf({ dispatcher: new ProxyAgent("http://proxy.example:3128") });
new TemplatePdf({
  dispatcher: new Agent().compose((dispatch) => (options, handler) => dispatch(options, handler)),
});
// @ts-expect-error: the option is called apiKey
new TemplatePdf({ apikey: "k3y" });
// @ts-expect-error: a key is a string
new TemplatePdf({ apiKey: 7 });
new TemplatePdf({ apiKey: () => process.env["PDF_API_KEY"] });
// @ts-expect-error: a source of keys gives strings
new TemplatePdf({ apiKey: async () => 7 });
// @ts-expect-error: a header's value is a string
new TemplatePdf({ headers: { "x-tenant": 7 } });
// @ts-expect-error: a dispatcher dispatches
new TemplatePdf({ dispatcher: {} });
// @ts-expect-error: there is no such choice
new TemplatePdf({ credentials: "always" });

// How long to wait, and how often to try: of a client, and of a call.
new TemplatePdf({
  timeouts: { connect: 1, firstByte: 2, stall: 3, unread: 4, total: Number.POSITIVE_INFINITY },
});
new TemplatePdf({ retry: { limit: 5, mayRenderTwice: false } });
new TemplatePdf({ retry: false });
untyped.generate("inv", {}, { timeouts: { total: 5_000 }, retry: false });
untyped.generate("inv", {}, { retry: { limit: 0 } });
const patient: Timeouts = { firstByte: 600_000 };
const once: Retry = { mayRenderTwice: false };
untyped.with({ timeouts: patient, retry: once });
// @ts-expect-error: there is no such limit
new TemplatePdf({ timeouts: { request: 5 } });
// @ts-expect-error: a limit is a number of milliseconds
new TemplatePdf({ timeouts: { total: "5s" } });
// @ts-expect-error: each limit has a name
new TemplatePdf({ timeouts: 5_000 });
// @ts-expect-error: a number of tries is called limit
new TemplatePdf({ retry: 3 });
// @ts-expect-error: there is nothing to be true beside an object
new TemplatePdf({ retry: true });
// @ts-expect-error: the option is called limit
untyped.generate("inv", {}, { retry: { retries: 3 } });
// @ts-expect-error: whether something may be rendered twice is yes or no
untyped.generate("inv", {}, { retry: { mayRenderTwice: 0 } });

// The seam inside is nobody's to use.
// @ts-expect-error: documents come from the client only
new (untyped.generate("inv", {}).constructor as typeof GeneratedPdf)();
