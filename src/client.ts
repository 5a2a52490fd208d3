/// <reference lib="esnext.disposable" preserve="true" />
import { platform } from "#platform";
import { type BulkAttempt, forBulkRuns } from "./call/bulk-attempt.ts";
import { Call } from "./call/call.ts";
import { CallsInFlight, type SharedState } from "./call/calls-in-flight.ts";
import { PendingPdf } from "./document/pending-pdf.ts";
import { type CallOptions, resolveCall } from "./options/call-options.ts";
import { type ClientOptions, checkClientOptions, resolveOptions } from "./options/client-options.ts";
import type { RetryPolicy } from "./options/retry.ts";
import { shareHeaders } from "./request/headers.ts";
import type { AnyTemplate } from "./request/schema.ts";
import { makeDisposable } from "./runtime/disposal.ts";
import type { Values } from "./template.ts";

/**
 * A client for the Template PDF Generation Service.
 *
 * Create one client and reuse it; it owns the connection pool. With the optional type parameter, a map from template uids to
 * values, the compiler checks every call. Without it, any uid and any object are accepted.
 *
 * @example
 * ```ts
 * const pdfs = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: process.env.PDF_API_KEY });
 * await pdfs.generate("inv_2024", { date: "20 November 2026", total: "£1,000,000" }).saveTo("invoice.pdf");
 * ```
 *
 * @typeParam T - the values by template uid, for example `{ inv_2024: { date: string; total: string } }`
 */
export class TemplatePdf<T extends { [K in keyof T]: object } = Record<string, object>> {
  /** The options that derived clients inherit. */
  readonly #baseOptions: ClientOptions;
  /** The state that all calls share. */
  readonly #shared: SharedState;
  /** Whether the client opened the connections. A derived client uses those of its parent. */
  readonly #isOwner: boolean;

  /**
   * Creates a client and checks its options.
   *
   * @param options - see `ClientOptions`. A missing `baseUrl` or `apiKey` is read from the
   * `TEMPLATE_PDF_BASE_URL` or `TEMPLATE_PDF_API_KEY` environment variable
   * @throws {ConfigurationError} if an option is missing, unknown or invalid
   */
  constructor(options?: ClientOptions);
  /** @internal */
  constructor(options: ClientOptions, calls: CallsInFlight);
  constructor(given: ClientOptions = {}, calls?: CallsInFlight) {
    const options = checkClientOptions(given);
    const resolved = resolveOptions(options, platform.advice, platform.userAgent);
    const { apiKey, headers, needsPage } = resolved;
    platform.checkTransport(resolved);
    // Derived clients need the values that came from the environment or from an iterator, which can be read only once.
    const baseUrl = needsPage ? options.baseUrl : resolved.baseUrl;
    this.#baseOptions = Object.assign(options, { baseUrl, apiKey, headers });
    this.#isOwner = calls === undefined;
    this.#shared = {
      options: resolved,
      settings: resolveCall(resolved, undefined),
      sharedHeaders: shareHeaders(headers),
      calls: calls ?? new CallsInFlight(platform.openPool()),
      isClosed: false,
    };
    // Defined here, because bundlers cannot remove an unused class that has properties with computed names.
    makeDisposable(Object.getPrototypeOf(this), (client: TemplatePdf) => client.close());
    const bulk: TemplatePdf[typeof forBulkRuns] = {
      retry: this.#shared.settings.retry,
      startAttempt: (uid, values, call, attempt) =>
        new PendingPdf(new Call(this.#shared, uid, values, call, attempt), platform.nodeOutputs),
    };
    Object.defineProperty(this, forBulkRuns, { value: bulk });
  }

  /**
   * The transport for the next request: `"undici"` or `"fetch"`.
   *
   * The client uses the first of these that applies:
   *
   * 1. the `fetch` option
   * 2. the `dispatcher` option
   * 3. the global `fetch` or the global undici dispatcher, if a mock or a tracer has replaced it
   * 4. in Node, undici with the client's own connections
   * 5. in other runtimes, the global `fetch`
   */
  get transport(): "undici" | "fetch" {
    const { calls, options } = this.#shared;
    return calls.pool.current(options).name;
  }

  /**
   * Generates a PDF from a template (spec, "Generate PDF from template").
   *
   * The request starts immediately, even if you do not await the result. Transient failures are retried (see
   * `Retry`). If the call still fails, the result and its output methods reject; the method itself never
   * throws.
   *
   * @param uid - the template's uid from the dashboard, or a `template()`
   * @param values - a JSON object with a property for each placeholder in the template.
   *
   *   | value | how it is sent |
   *   | --- | --- |
   *   | strings, finite numbers, booleans, `null`, plain objects, arrays | unchanged |
   *   | `Date` and other objects with `toJSON` | as the result of `toJSON`; a `Date` in UTC, for example `"2026-11-20T00:00:00.000Z"` |
   *   | class instances | as an object with their own properties |
   *   | `undefined` as a property | omitted; rejected if the template's schema requires it |
   *   | `undefined` in an array, `NaN`, `Infinity`, invalid dates, `BigInt`, `Map`, `Set`, `Buffer`, functions, symbols, promises, cycles | rejected with a `ValuesError` that says what to pass instead |
   * @param options - see `CallOptions`
   * @returns a `PendingPdf`: a promise for the document, with a method for each output
   * @throws {ConfigurationError} (rejects) if the uid, an option or the API key is invalid, or the template's schema violates
   * the Standard Schema contract
   * @throws {ValuesError} (rejects) if the values are not a JSON object, or the template's schema rejects them
   * @throws {ConnectionError} (rejects) if there is no response
   * @throws {TimeoutError} (rejects) if a limit in `timeouts` is exceeded
   * @throws {ApiError} (rejects) if the service responds with a status other than 2xx
   * @throws {InvalidPdfError} (rejects) if the response is not a PDF
   * @throws {TruncatedPdfError} (rejects) if the response is a truncated PDF
   * @throws {OversizedPdfError} (rejects) if a document in memory would be larger than `maxBytes`
   * @throws {SaveError} (rejects) if the file cannot be written
   * @throws the abort reason (rejects) if you abort `signal` or call `cancel()`
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
    return new PendingPdf(new Call(this.#shared, uid, values, options), platform.nodeOutputs);
  }

  /**
   * Makes single attempts at the jobs of a bulk run, which decides about retries.
   *
   * @internal
   */
  declare readonly [forBulkRuns]: {
    /** The client's own policy. */
    readonly retry: RetryPolicy;
    startAttempt(
      uid: string | AnyTemplate,
      values: object,
      options: CallOptions,
      attempt: BulkAttempt,
    ): PendingPdf;
  };

  /**
   * Creates a derived client with other options, for example with the API key for another account. The
   * derived client shares this client's connections. Closing the derived client leaves the connections open.
   *
   * @param options - the options that differ. `timeouts` and `retry` are merged property by property; every
   * other option, including `headers` and `hooks`, replaces this client's option
   * @returns the derived client
   * @throws {ConfigurationError} if an option is unknown or invalid
   *
   * @example
   * ```ts
   * const tenantPdfs = pdfs.with({ apiKey: tenant.apiKey });
   * ```
   */
  with(options: ClientOptions): TemplatePdf<T> {
    const given = checkClientOptions(options);
    const { fetch, dispatcher, ...rest } = this.#baseOptions;
    // A client has a `fetch` or a `dispatcher`, so a new one replaces both.
    const transport = given.fetch || given.dispatcher ? {} : { fetch, dispatcher };
    const merged = { ...rest, ...transport, ...given };
    if (given.timeouts) merged.timeouts = { ...rest.timeouts, ...given.timeouts };
    if (given.retry) merged.retry = { ...this.#shared.options.retry, ...given.retry };
    return derivedClient<T>(merged, this.#shared.calls);
  }

  /**
   * Closes the client's own connections when the calls in flight have ended. New calls reject.
   *
   * A call that is waiting for a retry counts as in flight. So does an unread document, until
   * `timeouts.unread` has passed. Closing a client does not close a `dispatcher` that you passed. Closing a
   * derived client does not close the original client's connections.
   *
   * @example
   * ```ts
   * await pdfs.close();
   * ```
   */
  async close(): Promise<void> {
    this.#shared.isClosed = true;
    if (this.#isOwner) await this.#shared.calls.close();
  }

  /** Calls `close()` at the end of an `await using` block. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** A function outside the class, because bundlers rename a class that refers to itself. */
function derivedClient<T extends { [K in keyof T]: object }>(
  options: ClientOptions,
  calls: CallsInFlight,
): TemplatePdf<T> {
  return new TemplatePdf<T>(options, calls);
}
