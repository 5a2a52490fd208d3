import { type Complete, isDuration, isObject, type Rule, type Rules } from "./option-rules.ts";

/**
 * The timeouts for a call, in milliseconds. `Infinity` disables a timeout.
 *
 * @example
 * ```ts
 * await pdfs.generate("invoice", values, { timeouts: { firstByte: 30_000, total: 45_000 } }).bytes();
 * ```
 */
export interface Timeouts {
  /** Time to open a connection. Applies only to the client's own connections, see `TemplatePdf.transport`. Default: 10,000. */
  connect?: number | undefined;
  /** Time from sending the request to the first byte of the document, including rendering. Default: 120,000. */
  firstByte?: number | undefined;
  /** The maximum time to wait for more bytes of the document while the reader is ready for them. Default: 30,000. */
  stall?: number | undefined;
  /**
   * Time between awaiting a document and calling the output method that reads it, or between receiving a stream and its first
   * read. Default: 60,000.
   */
  unread?: number | undefined;
  /**
   * Time for the whole call, including all attempts and the delays between them. After a stream has been
   * returned, `total` applies only if you set it explicitly. In a handler, `total` always applies. Default:
   * 600,000.
   */
  total?: number | undefined;
}

const defaults: Complete<Timeouts> = /* @__PURE__ */ Object.freeze({
  connect: 10_000,
  firstByte: 120_000,
  stall: 30_000,
  unread: 60_000,
  total: 600_000,
});

/** The rule for `timeouts`. */
export const isTimeouts: Rule = {
  words: "an object",
  test: (value) => isObject.test(value),
  properties: {
    connect: isDuration,
    firstByte: isDuration,
    stall: isDuration,
    unread: isDuration,
    total: isDuration,
  } satisfies Rules<Timeouts>,
};

/** Completes checked `timeouts`: unset ones come from `base`. */
export function resolveTimeouts(checked?: Timeouts, base = defaults): Complete<Timeouts> {
  return checked ? ({ ...base, ...checked } as Complete<Timeouts>) : base;
}
