/** The delay before the first probe request. Each further delay is twice as long as the previous one. */
const firstWaitMs = 1000;
const longestWaitMs = 30_000;

/** A single job may cause its own 500s. This many in a row indicate an outage. */
const enoughJobs = 3;

/** How a request failed: it did not reach the service, or the service returned no result. */
export type Unserved = "unreached" | "unserved";

/**
 * Detects outages. In an outage, requests do not reach the service, or several jobs in a row get only 5xx responses, timeouts or
 * interrupted connections. During an outage, one probe request at a time is sent, at increasing intervals. This class does not
 * use clocks or timers.
 */
export class Outage {
  readonly #giveUpAfterMs: number;
  /** The jobs that have failed since the last response, up to the number that matters. */
  readonly #failedJobs = new Set<unknown>();
  #sinceMs: number | undefined;
  #isOn = false;
  #waitMs = firstWaitMs;
  #nextRequestAtMs = Number.NEGATIVE_INFINITY;

  /** @param giveUpAfterMs - the duration of an outage after which {@link hasLastedTooLong} is true */
  constructor(giveUpAfterMs: number) {
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  /** Whether the service is unavailable, as far as is known. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** The time of the next request; in the past if there is no outage. */
  get nextRequestAtMs(): number {
    return this.#nextRequestAtMs;
  }

  /** The time of the first failure in the current series; `undefined` if the last request got a response. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** Whether the run should stop. */
  hasLastedTooLong(nowMs: number): boolean {
    return this.#isOn && this.#sinceMs !== undefined && nowMs - this.#sinceMs >= this.#giveUpAfterMs;
  }

  /** Records a response other than a 5xx. */
  answered(): void {
    this.#failedJobs.clear();
    this.#sinceMs = undefined;
    this.#isOn = false;
    this.#waitMs = firstWaitMs;
    this.#nextRequestAtMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Records a failed request.
   *
   * @param job - identifies the job
   * @param sentAtMs - the time at which the request was sent. Requests that were in flight when the outage
   * began do not extend the outage
   */
  failed(job: unknown, how: Unserved, sentAtMs: number, nowMs: number): void {
    this.#sinceMs ??= nowMs;
    if (this.#failedJobs.size < enoughJobs) this.#failedJobs.add(job);
    if (!this.#isOn && how === "unserved" && this.#failedJobs.size < enoughJobs) return;
    if (this.#isOn && sentAtMs < this.#nextRequestAtMs) return;
    this.#isOn = true;
    this.#nextRequestAtMs = Math.min(
      nowMs + this.#waitMs,
      Math.max(nowMs, this.#sinceMs + this.#giveUpAfterMs),
    );
    this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 2);
  }
}
