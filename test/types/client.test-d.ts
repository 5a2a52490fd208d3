import type { Readable } from "node:stream";
import {
  type Bytes,
  type CallOptions,
  type ClientOptions,
  type GeneratedPdf,
  type PendingPdf,
  type Retry,
  type Saved,
  TemplatePdf,
  type Timeouts,
} from "template-pdf";
import { MockAgent, ProxyAgent, fetch as undiciFetch } from "undici";
import { expectTypeOf } from "vitest";

interface Invoice {
  date: string;
  lines?: { text: string }[];
}
interface Templates {
  inv: Invoice;
}

const untyped = new TemplatePdf();
const typed = new TemplatePdf<Templates>();
declare const values: Invoice;
declare const anyUid: string;

// Without a map, any uid and any object are valid.
untyped.generate("anything", { a: 1, b: [new Date()] });
untyped.generate(anyUid, values);
// @ts-expect-error: values are an object
untyped.generate("anything", null);
// @ts-expect-error: the options do not have this property
untyped.generate("anything", {}, { timeout: 5 });

// With a map, the uids and values are those of the map. For errors see mistakes.ts.
typed.generate("inv", values);
expectTypeOf<ReturnType<typeof typed.with>>().toEqualTypeOf<TemplatePdf<Templates>>();
expectTypeOf(typed.transport).toEqualTypeOf<"undici" | "fetch">();

// Every output method has its type, for a document and a pending result.
export async function outputs(pending: PendingPdf): Promise<void> {
  const pdf = await pending;
  expectTypeOf(pdf).toEqualTypeOf<GeneratedPdf>();
  expectTypeOf<Bytes>().toEqualTypeOf<Uint8Array<ArrayBuffer>>();
  expectTypeOf(await pending.bytes()).toEqualTypeOf<Bytes>();
  expectTypeOf(await pending.buffer()).toEqualTypeOf<Buffer<ArrayBuffer>>();
  expectTypeOf(await pending.arrayBuffer()).toEqualTypeOf<ArrayBuffer>();
  expectTypeOf(await pending.blob()).toEqualTypeOf<Blob>();
  expectTypeOf(await pending.stream()).toEqualTypeOf<ReadableStream<Bytes>>();
  expectTypeOf(await pending.nodeStream()).toEqualTypeOf<Readable>();
  expectTypeOf(await pending.response({ status: 201 })).toEqualTypeOf<Response>();
  expectTypeOf(await pending.saveTo(new URL("file:///tmp/a.pdf"))).toEqualTypeOf<Saved>();
  expectTypeOf<Pick<Saved, keyof Saved>>().toEqualTypeOf<{ readonly path: string; readonly bytes: number }>();
  expectTypeOf(await pending.cancel("no longer wanted")).toEqualTypeOf<void>();
  for await (const chunk of pending) expectTypeOf(chunk).toEqualTypeOf<Bytes>();
  for await (const chunk of pdf) expectTypeOf(chunk).toEqualTypeOf<Bytes>();
  // Three methods of a document are synchronous.
  expectTypeOf(pdf.stream()).toEqualTypeOf<ReadableStream<Bytes>>();
  expectTypeOf(pdf.nodeStream()).toEqualTypeOf<Readable>();
  expectTypeOf(pdf.response()).toEqualTypeOf<Response>();
  const { status, attempts, headers, requestId, filename, contentLength } = pdf;
  expectTypeOf([status, attempts]).toEqualTypeOf<number[]>();
  expectTypeOf(headers).toEqualTypeOf<Headers>();
  expectTypeOf([requestId, filename]).toEqualTypeOf<(string | undefined)[]>();
  expectTypeOf(contentLength).toEqualTypeOf<number | undefined>();
  // @ts-expect-error: a pending result has no status
  pending.status;
}

// `await using` disposes of clients and documents.
export async function disposal(): Promise<void> {
  await using pdfs = new TemplatePdf();
  await using pdf = await pdfs.generate("inv", {});
  await pdf.blob();
}

// Every option can be undefined, even with `exactOptionalPropertyTypes`.
type AllUndefined<T> = { [K in keyof T]: undefined };
declare const options: AllUndefined<ClientOptions>;
declare const callOptions: AllUndefined<CallOptions>;
declare const parts: { timeouts: AllUndefined<Timeouts>; retry: AllUndefined<Retry> };
new TemplatePdf(options).generate("inv", {}, callOptions);
new TemplatePdf({ headers: { "x-tenant": undefined }, ...parts });

// The types that the options accept.
new TemplatePdf({ baseUrl: new URL("https://pdf.example.com"), apiKey: null });
new TemplatePdf({ apiKey: () => process.env["PDF_API_KEY"], headers: new Headers() });
new TemplatePdf({ apiKey: async () => "k3y", headers: [["x-tenant", "7"]] });
for (const fetch of [globalThis.fetch, undiciFetch]) new TemplatePdf({ fetch });
for (const dispatcher of [new MockAgent(), new ProxyAgent("http://proxy.example:3128")])
  new TemplatePdf({ dispatcher: dispatcher.compose((dispatch) => dispatch) });
// @ts-expect-error: the option is called apiKey
new TemplatePdf({ apikey: "k3y" });
// @ts-expect-error: an API key function returns a string
new TemplatePdf({ apiKey: async () => 7 });
// @ts-expect-error: a dispatcher has a `dispatch` method
new TemplatePdf({ dispatcher: {} });

// Clients and calls have timeouts and retries.
new TemplatePdf({ timeouts: { connect: 1, firstByte: 2, stall: 3, unread: 4, total: 5 }, retry: false });
untyped.generate("inv", {}, { timeouts: { total: 5_000 }, retry: { limit: 0 } });
// @ts-expect-error: a timeout is a number of milliseconds
new TemplatePdf({ timeouts: { total: "5s" } });
// @ts-expect-error: `retry` is an object or `false`
untyped.generate("inv", {}, { retry: true });

// @ts-expect-error: only the client creates documents
new (untyped.generate("inv", {}).constructor as typeof GeneratedPdf)();
