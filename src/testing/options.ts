/// <reference lib="esnext.disposable" preserve="true" />

import { type Template, TemplatePdf } from "../index.ts";
import { isCount, isPositiveCount, isText, type Rule, type Rules } from "../options/option-rules.ts";
import { isWellFormedKey } from "../request/api-key.ts";
import { addressOf } from "../request/endpoint.ts";
import { longestTimerMs } from "../runtime/timers.ts";

/** Options for `fakeService`. */
export interface FakeServiceOptions {
  /**
   * The base URL of the service. The fake service does not answer calls to other addresses. Default: it answers calls
   * to any address, and `service.baseUrl` is `https://template-pdf.test`.
   */
  readonly baseUrl?: string | URL | undefined;
  /**
   * The templates of the service: uids, or `template()`s. The schema of a `template()` checks the received
   * values. Default: any uid and any values.
   */
  readonly templates?: readonly (Template | string)[] | undefined;
  /**
   * The accepted keys (at least one), or `null` to accept requests without a key, such as those from
   * browsers. Default: any key.
   */
  readonly apiKeys?: readonly string[] | null | undefined;
}

/** The calls that a fault affects. */
export interface FailOptions<U extends string = string> {
  /** The uid of the template. Default: all templates. */
  readonly uid?: U | undefined;
  /** The number of calls that fail. Each retry counts as a call. Default: all calls, until `reset()`. */
  readonly times?: number | undefined;
}

/** Options for `waitForCall`. */
export interface WaitOptions {
  /** The timeout in milliseconds. Default: 4,000. */
  readonly timeoutMs?: number | undefined;
}

/** Options for `listen`. */
export interface ListenOptions {
  /** The port. Default: a free port. */
  readonly port?: number | undefined;
  /** The host. Default: `127.0.0.1`, which other machines cannot reach. */
  readonly host?: string | undefined;
}

/** A fake service that listens on a socket. */
export interface ListeningService {
  /** The base URL for the client, such as `http://127.0.0.1:49152`. */
  readonly baseUrl: string;
  /** Stops listening and closes all connections. A second call returns the same promise. */
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

/** Checks a base URL against the client's rules. @returns the URL without a trailing slash */
export function checkBaseUrl(baseUrl: string | URL): string {
  new TemplatePdf({ baseUrl, apiKey: null, fetch: () => Promise.reject(new Error("never called")) });
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  return addressOf(new URL(baseUrl, page));
}
