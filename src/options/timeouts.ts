import { type Complete, isDuration, type Rules, resolveGroup } from "./option-rules.ts";

/**
 * The limits of a call, in milliseconds. `Infinity` switches a limit off.
 *
 * @example
 * ```ts
 * await pdfs.generate("invoice", values, { timeouts: { firstByte: 30_000, total: 45_000 } }).bytes();
 * ```
 */
export interface Timeouts {
  /** Time to connect. Applies only if the client opens its own connections, see `TemplatePdf.transport`. Default: 10,000. */
  connect?: number | undefined;
  /** From the sent request to the first byte of the document, which includes rendering. Default: 120,000. */
  firstByte?: number | undefined;
  /** From one byte of the document to the next, while the reader keeps up. Default: 30,000. */
  stall?: number | undefined;
  /** From an awaited document to the method that reads it, and from a stream to its first read. Default: 60,000. */
  unread?: number | undefined;
  /**
   * For the whole call, with all attempts and the delays between them. Does not apply to a stream after it is returned,
   * unless you set it. In a handler it always applies. Default: 600,000.
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

const rules: Rules<Timeouts> = {
  connect: isDuration,
  firstByte: isDuration,
  stall: isDuration,
  unread: isDuration,
  total: isDuration,
};

/** Checks `timeouts`. Unset ones come from `base`. @throws {ConfigurationError} for the first mistake */
export function resolveTimeouts(timeouts?: Timeouts, base = defaults): Complete<Timeouts> {
  return resolveGroup("timeouts", timeouts, rules, base);
}
