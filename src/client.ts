/// <reference lib="esnext.disposable" preserve="true" />
import { transports } from "#platform";
import { Attempts } from "./call/attempts.ts";
import { GenerateCall, type Sender } from "./call/call.ts";
import { PendingPdf } from "./document/pending-pdf.ts";
import { ConfigurationError } from "./errors/errors.ts";
import {
  type CallOptions,
  type ClientOptions,
  checkClientNames,
  type ResolvedOptions,
  resolveCall,
  resolveOptions,
} from "./options/options.ts";
import { buildHeaders, pathTo } from "./request/url.ts";
import { makeDisposable } from "./runtime/disposal.ts";
import type { AnyTemplate, Values } from "./template.ts";
import type { Transport, TransportPool } from "./transport/transport.ts";

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
  readonly #options: ResolvedOptions;
  readonly #connections: Connections;
  /** Whether the connections are this client's own, not those of the client it was made from. */
  readonly #isOwner: boolean;
  readonly #sender: Sender;
  #isClosed = false;
  /** The headers of all requests with one key: built once, not once per request. */
  #headers: { readonly apiKey: string | undefined; readonly flat: readonly string[] } | undefined;
  /** The path of the last call: most calls are for the same template as the one before. */
  #path: { readonly uid: string; readonly path: string } | undefined;

  /**
   * @param options - see `ClientOptions`; what is missing is read from `TEMPLATE_PDF_BASE_URL` and
   * `TEMPLATE_PDF_API_KEY`
   * @throws {ConfigurationError} when an option is missing, unknown or wrong
   */
  constructor(options?: ClientOptions);
  /** @internal */
  constructor(options: ClientOptions, connections: Connections);
  constructor(options: ClientOptions = {}, connections?: Connections) {
    this.#options = resolveOptions(options);
    const { dispatcher } = this.#options;
    const objection = dispatcher && transports.objectionTo(dispatcher);
    if (objection) throw new ConfigurationError(`The \`dispatcher\` cannot be used: ${objection}.`);
    // What was read from the environment, or can be read once only, is kept for siblings.
    const { apiKey, headers, awaitsPage } = this.#options;
    const baseUrl = awaitsPage ? options.baseUrl : this.#options.baseUrl;
    this.#given = { ...options, baseUrl, apiKey, headers };
    this.#isOwner = connections === undefined;
    this.#connections = connections ?? new Connections();
    this.#sender = {
      options: this.#options,
      settings: resolveCall(this.#options, undefined),
      enter: () => this.#enter(),
      stay: () => this.#connections.enter(),
      leave: () => this.#connections.leave(),
      transport: () => this.#transport(),
      captureContext: () => this.#connections.pool.captureContext(),
      pathTo: (uid) => this.#pathTo(uid),
      headers: (apiKey, extra) => this.#headersFor(apiKey, extra),
    };
  }

  /**
   * What carries the next request: `"undici"`, or `"fetch"`.
   *
   * In this order: the `fetch` option; the `dispatcher` option; a global `fetch` or a global undici dispatcher
   * that somebody has replaced, such as a mock or a tracer; in Node, undici with connections of this client;
   * elsewhere the global `fetch`.
   */
  get transport(): "undici" | "fetch" {
    return this.#transport().name;
  }

  /**
   * Generates a PDF from a template of the service (spec, "Generate PDF from template").
   *
   * The request is sent at once, nothing has to be awaited for that, and nothing is ever thrown here: whatever
   * goes wrong rejects what was asked for, after what may pass was tried again (see `Retry`).
   *
   * @param uid - the template's uid from the dashboard, or a `template()`
   * @param values - one JSON object: a property per placeholder of the template. Members that are `undefined`
   * are left out, and what has a `toJSON`, such as a `Date`, goes by it
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
    return new PendingPdf(new Attempts(new GenerateCall(this.#sender, uid, values, options)));
  }

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
    return makeSibling<T>(merged, this.#connections);
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
    this.#isClosed = true;
    if (this.#isOwner) await this.#connections.close();
  }

  /** Closes the client at the end of `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  #transport(): Transport {
    return this.#connections.pool.current(this.#options);
  }

  #enter(): void {
    if (this.#isClosed || this.#connections.areClosed) {
      throw new ConfigurationError("This client is closed, and so are its connections. Make another one.");
    }
    if (this.#options.awaitsPage) {
      throw new ConfigurationError(
        "The `baseUrl` is relative to a page, and this is none. Generate in the page, such as on a click; or give the whole URL.",
      );
    }
    this.#connections.enter();
  }

  #pathTo(uid: string): string {
    if (!this.#path || this.#path.uid !== uid) this.#path = { uid, path: pathTo(this.#options.target, uid) };
    return this.#path.path;
  }

  #headersFor(apiKey: string | undefined, extra: ReadonlyMap<string, string> | undefined): readonly string[] {
    const { headers } = this.#options;
    if (extra) return buildHeaders(apiKey, new Map([...headers, ...extra]));
    if (this.#headers?.apiKey !== apiKey || !this.#headers) {
      this.#headers = { apiKey, flat: buildHeaders(apiKey, headers) };
    }
    return this.#headers.flat;
  }
}

makeDisposable(TemplatePdf.prototype, (client) => client.close());

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

/** What a client and its siblings share. */
class Connections {
  readonly pool: TransportPool = transports.openPool();
  areClosed = false;
  /** Calls that were made and have not been handed to the pool, which knows of them only then. */
  #entering = 0;
  #whenAllLeft: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  enter(): void {
    this.#entering++;
  }

  leave(): void {
    this.#entering--;
    if (this.#entering === 0) this.#whenAllLeft?.();
  }

  close(): Promise<void> {
    this.areClosed = true;
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    if (this.#entering > 0) {
      await new Promise<void>((resolve) => {
        this.#whenAllLeft = resolve;
      });
    }
    await this.pool.close();
  }
}
