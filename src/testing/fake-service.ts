import { ConfigurationError, type Template } from "../index.ts";
import type { JsonPath } from "../json/json-value.ts";
import { checkOption, checkOptions, isPositiveCount } from "../options/option-rules.ts";
import { formatJsonPath } from "../request/serialize-values.ts";
import { makeDisposable } from "../runtime/disposal.ts";
import type { Bytes } from "../runtime/platform-types.ts";
import { type Authorize, createEndpoint, type Order } from "../service/endpoint.ts";
import type { Fault, ScriptedFault, Step } from "../service/faults/faults.ts";
import { fetchError, playAsResponse } from "../service/faults/play-as-response.ts";
import { requireApiKey } from "../service/require-api-key.ts";
import type { Product } from "../service/to-response.ts";
import { CallLog } from "./call-log.ts";
import { fakePdf } from "./fake-pdf.ts";
import { KnownTemplates } from "./known-templates.ts";
import { loadMsw, type MswHandler } from "./load-msw.ts";
import {
  checkBaseUrl,
  type FailOptions,
  type FakeServiceOptions,
  failRules,
  fakeServiceRules,
  type ListeningService,
  type ListenOptions,
  listenRules,
  type WaitOptions,
  waitRules,
} from "./options.ts";
import type { ByUid, FakeCallOf } from "./typed-calls.ts";

/** The maximum number of lines of values in a document. Millions would take seconds. */
const maxLines = 10_000;

/** Creates the response that plays a fault. */
type Play = (steps: readonly Step[], request: Request) => Response;

/** A fault and the calls that it affects. */
interface PlannedFault {
  readonly fault: ScriptedFault;
  /** `undefined` for all templates. */
  readonly uid: string | undefined;
  left: number;
}

/**
 * A fake service for tests. Each instance has its own calls and faults.
 *
 * @typeParam T - the values by template uid. Default: any
 */
// biome-ignore lint/suspicious/noExplicitAny: only `any` accepts services of all types.
export class FakeService<T = any> {
  /** The base URL for the client. */
  readonly baseUrl: string;
  /** A valid API key. */
  readonly apiKey: string;
  readonly #log = new CallLog<FakeCallOf<T>>();
  /**
   * The received calls with a valid key and readable values, in order. Each retry counts as a call. The list
   * includes calls that a schema or a fault rejected.
   */
  readonly calls: readonly FakeCallOf<T>[] = this.#log.all;
  readonly #isAnywhere: boolean;
  readonly #templates: KnownTemplates;
  readonly #authorize: Authorize;
  readonly #answer: (request: Request) => Promise<Response>;
  #handlers: MswHandler[] | undefined;
  #faults: PlannedFault[] = [];

  /** @internal */
  constructor(options: FakeServiceOptions) {
    const { baseUrl, templates, apiKeys } = checkOptions(options, fakeServiceRules, "fakeService()");
    this.baseUrl = baseUrl === undefined ? "https://template-pdf.test" : checkBaseUrl(baseUrl);
    // Not a word, because the key is redacted from every error.
    this.apiKey = apiKeys?.[0] ?? "tpdf_x7Qd2vKz9";
    this.#isAnywhere = baseUrl === undefined;
    this.#templates = new KnownTemplates(templates);
    this.#authorize = apiKeys === null ? () => undefined : requireApiKey(apiKeys ?? "any");
    this.#answer = this.#endpoint(playAsResponse);
  }

  /**
   * The handlers for MSW 2 or 3: `setupServer(...service.handlers)`.
   *
   * @throws {ConfigurationError} if MSW is not installed, or in a browser. In a browser, the message shows
   * the handler to write instead
   */
  get handlers(): MswHandler[] {
    const path = `${this.#isAnywhere ? "*" : this.baseUrl}/api/v1/templates/:uid/generate-sync`;
    this.#handlers ??= [loadMsw().http.all(path, ({ request }) => this.#answer(request))];
    return this.#handlers;
  }

  /** A `fetch` for the client's `fetch` option. Calls to other addresses fail as if there were no network. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (typeof Request === "undefined") {
      throw new ConfigurationError(
        "`service.fetch` needs the globals Request and Response, which this environment lacks. Run this test in the Node environment, for example with @jest-environment node.",
      );
    }
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    if (!this.#isAnywhere && !request.url.startsWith(`${this.baseUrl}/`)) {
      const reason = `This fake service only serves ${this.baseUrl}.`;
      throw fetchError("fetch failed", reason, "ENOTFOUND");
    }
    const response = await this.#answer(request);
    request.signal.throwIfAborted();
    if (response.type === "error") throw fetchError("fetch failed", "read ECONNRESET", "ECONNRESET");
    return response;
  };

  /**
   * Listens on a real socket, for other processes and languages.
   *
   * @param options - see `ListenOptions`
   * @throws {ConfigurationError} (rejects) if an option is unknown or invalid, or in a browser
   * @throws {Error} (rejects) if the service cannot listen on the host and port
   * @example
   * ```ts
   * await using server = await fakeService().listen();
   * console.log(server.baseUrl);
   * ```
   */
  async listen(options: ListenOptions = {}): Promise<ListeningService> {
    const { host = "127.0.0.1", port = 0 } = checkOptions(options, listenRules, "listen()");
    const { listen, playOnServer } = await import("#sockets");
    // A fake accepts any host name, because tests may use their own and it contains no secrets. Closing it interrupts calls in
    // flight, which is not an error.
    const { baseUrl, close } = await listen(this.#endpoint(playOnServer), {
      host,
      port,
      allowedHosts: "any",
      closeLimitMs: 0,
    });
    const service = { baseUrl, close: () => close().catch(() => {}) };
    makeDisposable(service, () => service.close());
    return service;
  }

  /**
   * Waits for a call.
   *
   * @param n - the number of the call, counted from 1. Default: 1
   * @param options - see `WaitOptions`
   * @returns the call, immediately if it has already arrived
   * @throws {ConfigurationError} if `n` or an option is invalid
   * @throws {Error} (rejects) if the call does not arrive in time, or `reset()` is called
   * @example
   * ```ts
   * const service = fakeService();
   * const waiting = service.waitForCall();
   * const pdfs = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
   * await pdfs.generate("inv_2024", { total: "£1,000,000" }).bytes();
   * console.log((await waiting).values);
   * ```
   */
  waitForCall(n = 1, options: WaitOptions = {}): Promise<FakeCallOf<T>> {
    checkOption(n, isPositiveCount, "n");
    const { timeoutMs } = checkOptions(options, waitRules, "waitForCall()");
    return this.#log.wait(n, timeoutMs);
  }

  /**
   * Makes calls fail. If you plan several faults, each one starts after the earlier faults have been used up.
   *
   * @param fault - one of `faults`
   * @param options - see `FailOptions`
   * @throws {ConfigurationError} if `fault` is not a fault, or an option is invalid
   * @example
   * ```ts
   * const service = fakeService();
   * service.fail(faults.rateLimited({ retryAfter: 1 }), { times: 1 }).fail(faults.cutOff(), { times: 2 });
   * ```
   */
  fail(fault: Fault, options: FailOptions<keyof T & string> = {}): this {
    if (typeof (fault as ScriptedFault | undefined)?.script !== "function") {
      throw new ConfigurationError(
        "Expected a fault, for example service.fail(faults.serverError()). Create one by calling a function of `faults`.",
      );
    }
    const { uid, times = Number.POSITIVE_INFINITY } = checkOptions(options, failRules, "fail()");
    if (uid !== undefined) this.#templates.require(uid);
    this.#faults.push({ fault: fault as ScriptedFault, uid, left: times });
    return this;
  }

  /** Removes all calls and faults. Listening servers keep running. */
  reset(): void {
    this.#log.clear();
    this.#faults = [];
  }

  #endpoint(play: Play): (request: Request) => Promise<Response> {
    return createEndpoint({
      authorize: this.#authorize,
      produce: (order) => this.#produce(order, play),
      // No limit, because the specification defines none.
      maxBodyBytes: Number.MAX_SAFE_INTEGER,
    });
  }

  async #produce(order: Order, play: Play): Promise<Product | Response> {
    const { uid, values, request } = order;
    const planned = this.#faults.find((fault) => fault.left > 0 && (fault.uid ?? uid) === uid);
    const headers = new Headers(request.headers);
    headers.delete("authorization");
    // A copy: a schema may change what it checks.
    const came = JSON.parse(JSON.stringify(values));
    this.#log.add({ uid, values: came, headers, fault: planned?.fault.name } as FakeCallOf<T>);
    if (planned) {
      planned.left -= 1;
      const { script, documentBytes } = planned.fault;
      return play(script(documentOf(order, documentBytes)), request);
    }
    await this.#templates.check(order);
    return { bytes: documentOf(order) };
  }
}

/**
 * Creates a fake service for tests. The service checks the key and the values, and returns small, complete
 * PDFs that contain the uid and the values as text.
 *
 * @param options - the base URL, the templates, and the valid keys
 * @returns the service: use `handlers` with MSW, `fetch` as a client option, or `listen()` for a real socket
 * @throws {ConfigurationError} if an option is unknown or invalid
 *
 * @example
 * ```ts
 * import * as z from "zod";
 *
 * const invoice = template("inv_2024", z.object({ total: z.string() }));
 * const service = fakeService({ templates: [invoice] });
 * const pdfs = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
 *
 * const bytes = await pdfs.generate(invoice, { total: "£1,000,000" }).bytes();
 * console.log(service.calls[0]?.values.total, await pdfText(bytes));
 * ```
 */
export function fakeService<const A extends readonly (Template | string)[]>(
  options: FakeServiceOptions & { readonly templates: A },
): FakeService<ByUid<A>>;
export function fakeService<T extends { [K in keyof T]: object } = Record<string, Record<string, unknown>>>(
  options?: FakeServiceOptions,
): FakeService<T>;
/** Only for `ReturnType<typeof fakeService>`, which is the type of the last signature. */
export function fakeService(options?: FakeServiceOptions): FakeService;
export function fakeService(options: FakeServiceOptions = {}): unknown {
  return new FakeService(options);
}

/** Creates the document for a call. `minBytes` is its minimum size. */
function documentOf({ uid, values }: Order, minBytes = 0): Bytes {
  const lines = [uid];
  for (const line of linesOf(values)) {
    lines.push(lines.length > maxLines ? "and more" : line);
    if (lines.length > maxLines + 1) break;
  }
  const text = lines.join("\n");
  const document = fakePdf({ text });
  return document.length < minBytes ? fakePdf({ text, bytes: minBytes }) : document;
}

/** Formats values as searchable lines: `lines[0].amount: £640.00`. */
function* linesOf(values: object, path: JsonPath = []): Generator<string, void, void> {
  const entries = Array.isArray(values) ? values.entries() : Object.entries(values);
  for (const [key, value] of entries) {
    const inner = [...path, key];
    const isNested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
    if (isNested) yield* linesOf(value, inner);
    else yield `${formatJsonPath(inner)}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
  }
}
