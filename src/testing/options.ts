/// <reference lib="esnext.disposable" preserve="true" />

import { type Template, TemplatePdf } from "../index.ts";
import { isCount, isPositiveCount, isText, type Rule, type Rules } from "../options/option-rules.ts";
import { isWellFormedKey } from "../request/api-key.ts";
import { addressOf } from "../request/url.ts";
import { longestTimerMs } from "../runtime/environment.ts";

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

/** A fake service that listens on a socket. */
export interface ListeningService {
  /** Where it answers, such as `http://127.0.0.1:49152`: the client's `baseUrl`. */
  readonly baseUrl: string;
  /** Stops listening, and cuts every connection off. A second call gives the same promise. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const areTemplates: Rule = {
  words: 'an array of uids and templates, such as ["inv_2024", certificate]',
  test: Array.isArray,
};
const areKeys: Rule = {
  words: "an array of one or more keys, each of visible ASCII characters, or null",
  test: (value) =>
    value === null ||
    (Array.isArray(value) &&
      value.length > 0 &&
      value.every((key) => typeof key === "string" && isWellFormedKey(key))),
};
const isPort: Rule = {
  words: "a whole number from 0 to 65535",
  test: (value) => isCount.test(value) && (value as number) <= 65_535,
};
const isWait: Rule = {
  words: `a number of milliseconds above 0, at most ${longestTimerMs}`,
  test: (value) => typeof value === "number" && value > 0 && value <= longestTimerMs,
};

export const fakeServiceRules: Rules<FakeServiceOptions> = {
  baseUrl: undefined,
  templates: areTemplates,
  apiKeys: areKeys,
};
export const failRules: Rules<FailOptions> = { uid: isText, times: isPositiveCount };
export const waitRules: Rules<WaitOptions> = { timeoutMs: isWait };
export const listenRules: Rules<ListenOptions> = { port: isPort, host: isText };

/** Checks a base URL by the client's own rules. @returns it without a slash at its end */
export function checkBaseUrl(baseUrl: string | URL): string {
  new TemplatePdf({ baseUrl, apiKey: null, fetch: () => Promise.reject(new Error("never called")) });
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  return addressOf(new URL(baseUrl, page));
}
