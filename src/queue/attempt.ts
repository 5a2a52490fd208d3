import type { Job, RunOptions } from "../bulk/index.ts";
import { availabilityAfter } from "../bulk/service-watch.ts";
import { reportsAttempts, startAttempt } from "../bulk/start-attempt.ts";
import type { AttemptFailure } from "../call/attempt-failures.ts";
import type { BulkAttempt } from "../call/bulk-attempt.ts";
import { type Decision, decide } from "../call/retry-policy.ts";
import {
  ApiError,
  ConfigurationError,
  type PendingPdf,
  type TemplatePdf,
  TemplatePdfError,
} from "../index.ts";
import type { RetryPolicy } from "../options/retry.ts";

/** What to do after a failed attempt. */
export type AttemptEnd =
  /** The service accepts fewer requests. The attempt does not count. */
  | { readonly how: "refused"; readonly error: unknown; readonly retryAfterMs: number | undefined }
  /** The service is unavailable, or this job makes it fail. */
  | {
      readonly how: "unreached" | "unserved";
      readonly error: unknown;
      readonly retryAfterMs: number | undefined;
      /** The delay before the next attempt; nothing if there are no attempts left. */
      readonly delayMs: number | undefined;
      /** Whether an attempt that does not count may be repeated. */
      readonly mayRepeat: boolean;
    }
  /** A transient failure of this job. */
  | { readonly how: "transient"; readonly error: unknown; readonly delayMs: number }
  /** A retry would not help. */
  | { readonly how: "final"; readonly error: unknown; readonly isAnswered: boolean };

/** One attempt at a job. BullMQ makes the next one. */
export class Attempt implements BulkAttempt {
  readonly #counted: number;
  readonly attempts: number;
  readonly lastError = undefined;
  #pdf: PendingPdf | undefined;
  #isWhole = false;
  #failure: { readonly error: unknown } | undefined;
  #end: AttemptEnd | undefined;

  /**
   * @param counted - the number of previous attempts that count
   * @param attempts - the number of all previous attempts
   */
  constructor(counted: number, attempts = counted) {
    this.#counted = counted;
    this.attempts = attempts;
  }

  /**
   * Makes the attempt. Returns nothing if `use` stored the document.
   *
   * @param use - receives the document
   */
  async run(
    // biome-ignore lint/suspicious/noExplicitAny: the job types have already been checked.
    client: TemplatePdf<any>,
    { job, index }: { readonly job: Job; readonly index: number },
    retry: RunOptions["retry"],
    use: (pdf: PendingPdf) => Promise<unknown>,
  ): Promise<AttemptEnd | undefined> {
    try {
      this.#pdf = startAttempt(client, { job, index }, retry, this);
      await use(this.#pdf);
      // A failed document counts as failed, whatever `use` returned.
      if (reportsAttempts(client) && !this.#isWhole) throw unread(index);
      return undefined;
    } catch (thrown) {
      return this.#endAfter(thrown);
    }
  }

  /** Aborts the attempt. */
  cancel(reason: unknown): void {
    this.#pdf?.cancel(reason);
  }

  /** Prefers the document's error, which `use` may have wrapped. */
  #endAfter(thrown: unknown): AttemptEnd {
    const failure = this.#failure;
    if (failure && (this.#end || TemplatePdfError.is(failure.error))) {
      const { error } = failure;
      // Nothing is decided about what only this call knows, such as an exceeded `timeouts.total`.
      const isAnswered = ApiError.is(error);
      return this.#end ? { ...this.#end, error } : { how: "final", error, isAnswered };
    }
    this.#pdf?.cancel(thrown);
    return { how: "final", error: thrown, isAnswered: this.#isWhole };
  }

  // Called by the call.

  decide(failure: AttemptFailure, _attempts: number, policy: RetryPolicy): Decision {
    const error = failure.error("");
    const { retryAfterMs } = failure;
    const how = availabilityAfter(failure, error) ?? "answered";
    // Proxies report an unavailable service with several 5xx statuses of their own.
    const repeat = how === "answered" ? failure.repeat : how === "unreached" ? "safe" : "ambiguous";
    const decision = decide({ repeat }, this.#counted + 1, policy, Number.POSITIVE_INFINITY, Math.random);
    const delayMs = "delayMs" in decision ? decision.delayMs : undefined;
    const mayRepeat = policy.limit > 0 && (policy.mayRenderTwice || how === "unreached");
    if (ApiError.is(error) && error.status === 429 && mayRepeat) {
      this.#end = { how: "refused", error, retryAfterMs };
      return { delayMs: 0 };
    }
    if (how !== "answered") this.#end = { how, error, retryAfterMs, delayMs, mayRepeat };
    else if (delayMs !== undefined) this.#end = { how: "transient", error, delayMs };
    else this.#end = { how: "final", error, isAnswered: true };
    return decision;
  }

  onWhole(): void {
    this.#isWhole = true;
  }

  onFailed(error: unknown): void {
    this.#failure = { error };
  }
}

function unread(index: number): ConfigurationError {
  return new ConfigurationError(
    `The sink's \`put\` returned before the document of job ${index} was read completely. Read it in \`put\`, and await the read.`,
  );
}
