import { ConfigurationError, type Template, TemplatePdf } from "../index.ts";
import { longestTimerMs } from "../json/longest-timer.ts";
import { checkOptions, optional } from "../options/option-rules.ts";
import { isWellFormedKey } from "../request/api-key.ts";
import type { ScriptedFault } from "./faults/scripted-fault.ts";
import { isPositiveCount } from "./positive-count.ts";

/** What `fakeService` takes. */
export interface FakeServiceOptions {
  /**
   * Where the service is said to live; calls to other addresses are not answered. Default: anywhere, and
   * `service.baseUrl` is `https://template-pdf.test`.
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * The templates it has: uids, or what `template()` made, whose schemas then check what arrives. Default: any uid, and
   * any values.
   */
  readonly templates?: readonly (Template | string)[] | undefined;
  /** The keys that may call, one or more; `null` where none is needed, as for a page. Default: any key. */
  readonly apiKeys?: readonly string[] | null | undefined;
}

/** Whom a fault hits, and how often. */
export interface FailOptions<U extends string = string> {
  /** The template whose calls it hits. Default: the calls for all of them. */
  readonly uid?: U | undefined;
  /** How many calls it hits, each try of one counted. Default: all, until `reset()`. */
  readonly times?: number | undefined;
}

/** How long to wait for a call. */
export interface WaitOptions {
  /** In milliseconds, after which the promise rejects. Default: 4,000. */
  readonly timeoutMs?: number | undefined;
}

/** Where to listen. */
export interface ListenOptions {
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** Default: `127.0.0.1`, which no other machine can reach. */
  readonly host?: string | undefined;
}

/** The options of a fake service, checked. */
export interface ResolvedOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string | undefined;
  readonly templates: FakeServiceOptions["templates"];
  readonly apiKeys: FakeServiceOptions["apiKeys"];
}

const areKeys = {
  words: "an array of one or more keys, each of visible ASCII characters, or null",
  test: (value: unknown) =>
    value === null ||
    (Array.isArray(value) &&
      value.length > 0 &&
      value.every((key) => typeof key === "string" && isWellFormedKey(key))),
};

const areTemplates = {
  words: 'an array of uids and templates, such as ["inv_2024", certificate]',
  test: Array.isArray,
};

const isText = { words: "a string", test: (value: unknown) => typeof value === "string" };

const isPort = {
  words: "a whole number from 0 to 65535",
  test: (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
};

const isWait = {
  words: `a number of milliseconds above 0, at most ${longestTimerMs}`,
  test: (value: unknown) => typeof value === "number" && value > 0 && value <= longestTimerMs,
};

/** @throws {ConfigurationError} when an option is unknown or wrong */
export function resolveFakeServiceOptions(options: FakeServiceOptions): ResolvedOptions {
  checkOptions(options, { baseUrl: undefined, templates: areTemplates, apiKeys: areKeys }, "fakeService()");
  const { baseUrl, templates, apiKeys } = options;
  return { baseUrl: baseUrl === undefined ? undefined : checkBaseUrl(baseUrl), templates, apiKeys };
}

/** @throws {ConfigurationError} when this is no fault, or an option is unknown or wrong */
export function checkFail(fault: unknown, options: FailOptions): void {
  if (typeof (fault as Partial<ScriptedFault> | null | undefined)?.script !== "function") {
    throw new ConfigurationError(
      "`fail()` takes a fault, as in service.fail(faults.serverError()). Make one by calling a function of `faults`.",
    );
  }
  checkOptions(options, { uid: isText, times: isPositiveCount }, "fail()");
}

/** @throws {ConfigurationError} when this is no number of a call, or an option is unknown or wrong */
export function checkWait(number: number, options: WaitOptions): void {
  optional({ n: number }, "n", isPositiveCount);
  checkOptions(options, { timeoutMs: isWait }, "waitForCall()");
}

/** @throws {ConfigurationError} when an option is unknown or wrong */
export function checkListen(options: ListenOptions): void {
  checkOptions(options, { port: isPort, host: isText }, "listen()");
}

/** By the client's own rules, in the client's own words. */
function checkBaseUrl(baseUrl: string | URL): string {
  new TemplatePdf({ baseUrl, apiKey: null, fetch: () => Promise.reject(new Error("never called")) });
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  return new URL(baseUrl, page).href.replace(/(?<!\/)\/+$/, "");
}
