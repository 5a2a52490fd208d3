/// <reference lib="esnext.disposable" preserve="true" />
import { nodeOutputs, readEnvFile, transports } from "#platform";
import { Call } from "./call/call.ts";
import { type CallContext, Connections } from "./call/connections.ts";
import { type BulkAttempt, startAttempt } from "./call/outcome.ts";
import { PendingPdf } from "./document/pending-pdf.ts";
import { ConfigurationError } from "./errors/errors.ts";
import { type CallOptions, resolveCall } from "./options/call-options.ts";
import { type ClientOptions, checkClientNames, resolveOptions } from "./options/client-options.ts";
import type { RetryPolicy } from "./options/retry.ts";
import { buildHeaders } from "./request/flat-headers.ts";
import type { AnyTemplate } from "./request/schema.ts";
import { makeDisposable } from "./runtime/disposal.ts";
import type { Values } from "./template.ts";

/**
 * The client of the Template PDF Generation Service.
 *
 * Make one and keep it: it holds the connections to the service. The type parameter, a map from template uids
 * to their values, lets the compiler check every call; without it any uid and any object will do.
 *
 * @example
 * ```ts
 * const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: process.env.PDF_API_KEY });
 * await pdfs.generate("inv_2024", { date: "20 November 2026", total: "£1,000,000" }).saveTo("invoice.pdf");
 * ```
 *
 * @typeParam T - values by template uid, such as `{ inv_2024: { date: string; total: string } }`
 */
export class TemplatePdf<T extends { [K in keyof T]: object } = Record<string, object>> {
  readonly #given: ClientOptions;
  /** What its calls share. */
  readonly #context: CallContext;
  /** Whether the connections are this client's own, not those of the client it was made from. */
  readonly #isOwner: boolean;

  /**
   * @param options - see `ClientOptions`; what is missing is read from `TEMPLATE_PDF_BASE_URL` and
   * `TEMPLATE_PDF_API_KEY`
   * @throws {ConfigurationError} when an option is missing, unknown or wrong
   */
  constructor(options?: ClientOptions);
  /** @internal */
  constructor(options: ClientOptions, connections: Connections);
  constructor(options: ClientOptions = {}, connections?: Connections) {
    const resolved = resolveOptions(options, readEnvFile);
    const { dispatcher, apiKey, headers, needsPage } = resolved;
    const objection = dispatcher && transports.objectionTo(dispatcher);
    if (objection) throw new ConfigurationError(`The \`dispatcher\` cannot be used: ${objection}.`);
    // What was read from the environment, or can be read once only, is kept for derived clients.
    const baseUrl = needsPage ? options.baseUrl : resolved.baseUrl;
    this.#given = { ...options, baseUrl, apiKey, headers };
    this.#isOwner = connections === undefined;
    this.#context = {
      options: resolved,
      settings: resolveCall(resolved, undefined),
      sharedHeaders: typeof apiKey === "function" ? undefined : buildHeaders(apiKey ?? undefined, headers),
      connections: connections ?? new Connections(transports.openPool()),
      isClosed: false,
    };
    // Both here, not in the class: bundlers keep a class whose members have computed names.
    makeDisposable(Object.getPrototypeOf(this), (client: TemplatePdf) => client.close());
    const start: TemplatePdf[typeof startAttempt] = (uid, values, call, bulk) =>
      new PendingPdf(new Call(this.#context, uid, values, call, bulk), nodeOutputs);
    start.retry = this.#context.settings.retry;
    Object.defineProperty(this, startAttempt, { value: start });
  }

  /**
   * What carries the next request: `"undici"`, or `"fetch"`.
   *
   * In this order: the `fetch` option; the `dispatcher` option; a global `fetch` or a global undici dispatcher
   * that somebody has replaced, such as a mock or a tracer; in Node, undici with connections of this client;
   * elsewhere the global `fetch`.
   */
  get transport(): "undici" | "fetch" {
    const { connections, options } = this.#context;
    return connections.pool.current(options).name;
  }

  /**
   * Generates a PDF from a template of the service (spec, "Generate PDF from template").
   *
   * The request is sent at once, nothing has to be awaited for that, and nothing is ever thrown here: whatever
   * goes wrong rejects what was asked for, after what may pass was tried again (see `Retry`).
   *
   * @param uid - the template's uid from the dashboard, or a `template()`
   * @param values - one JSON object: a property per placeholder of the template.
   *
   *   | value | what happens |
   *   | --- | --- |
   *   | text, finite numbers, booleans, `null`, plain objects, arrays | sent as they are |
   *   | `Date`, other objects with `toJSON` | sent as what `toJSON` returns: a `Date` in UTC, as `"2026-11-20T00:00:00.000Z"` |
   *   | instances of classes | sent as their own properties |
   *   | `undefined` as a property | left out; refused if the template's schema requires it |
   *   | `undefined` in an array, `NaN`, `Infinity`, invalid dates, `BigInt`, `Map`, `Set`, functions, symbols, promises, cycles | refused with a `ValuesError` that names the remedy |
   * @param options - see `CallOptions`
   * @returns the document on its way: a promise of it, with every form of it as a method
   * @throws {ConfigurationError} (rejects) when the uid, an option or the API key cannot be sent, or the template's
   * schema breaks its word
   * @throws {ValuesError} (rejects) when the values are no JSON object, or the template's schema refuses them
   * @throws {ConnectionError} (rejects) when no answer comes
   * @throws {TimeoutError} (rejects) when a limit of `timeouts` is reached
   * @throws {ApiError} (rejects) when the service answers with another status than 2xx
   * @throws {InvalidPdfError} (rejects) when the answer is no PDF
   * @throws {TruncatedPdfError} (rejects) when the PDF does not arrive whole
   * @throws {OversizedPdfError} (rejects) when a form held in memory would be larger than `maxBytes`
   * @throws {SaveError} (rejects) when a file cannot be written
   * @throws the caller's own reason (rejects) when its `signal` was aborted, or `cancel` was called
   *
   * @example
   * ```ts
   * const buffer = await pdfs.generate("inv_2024", { total: "£1,000,000" }).buffer();
   *
   * await using pdf = await pdfs.generate("inv_2024", { total: "£1,000,000" });
   * console.log(pdf.filename, pdf.contentLength);
   * const blob = await pdf.blob();
   * ```
   */
  generate<G extends (keyof T & string) | AnyTemplate>(
    uid: G,
    values: Values<G, T>,
    options?: CallOptions,
  ): PendingPdf {
    return new PendingPdf(new Call(this.#context, uid, values, options), nodeOutputs);
  }

  /**
   * Makes one attempt of a job of a bulk run, which decides about the next.
   *
   * @internal
   */
  declare readonly [startAttempt]: {
    (uid: string | AnyTemplate, values: object, options: CallOptions, bulk: BulkAttempt): PendingPdf;
    /** The client's own policy. */
    retry?: RetryPolicy;
  };

  /**
   * Makes a sibling with other options that shares this client's connections, such as one for another account.
   * Closing it leaves the connections open.
   *
   * @param options - what is different; `timeouts` and `retry` are laid over this client's member by member, `headers`
   * and `hooks` replace this client's
   * @throws {ConfigurationError} when an option is unknown or wrong
   *
   * @example
   * ```ts
   * const theirs = pdfs.with({ apiKey: tenant.apiKey });
   * ```
   */
  with(options: ClientOptions): TemplatePdf<T> {
    checkClientNames(options);
    const { fetch, dispatcher, ...rest } = this.#given;
    // Either takes the place of both: they are two answers to one question.
    const sending = options.fetch || options.dispatcher ? {} : { fetch, dispatcher };
    const merged = { ...rest, ...sending, ...given(options) };
    const { timeouts, retry } = options;
    // What is no object is left to the constructor, which says so.
    if (timeouts instanceof Object) merged.timeouts = { ...rest.timeouts, ...given(timeouts) };
    if (retry instanceof Object)
      merged.retry = { ...(rest.retry === false ? { limit: 0 } : rest.retry), ...given(retry) };
    return makeSibling<T>(merged, this.#context.connections);
  }

  /**
   * Closes the connections that this client made, once the calls in flight are done; never a dispatcher that
   * was given to it. Calls after this reject. A call that waits to be tried again is in flight, and so is a document
   * that was begun and not read, for as long as `timeouts.unread` allows.
   *
   * @example
   * ```ts
   * await pdfs.close();
   * ```
   */
  async close(): Promise<void> {
    this.#context.isClosed = true;
    if (this.#isOwner) await this.#context.connections.close();
  }

  /** Closes the client at the end of `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** What was given of some options; a member that is `undefined` was not. */
function given<O extends object>(options: O): Partial<O> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<O>;
}

/** Outside the class: a bundler gives a class that names itself another name. */
function makeSibling<T extends { [K in keyof T]: object }>(
  options: ClientOptions,
  connections: Connections,
): TemplatePdf<T> {
  return new TemplatePdf<T>(options, connections);
}
