/** How long to wait before the first request that looks whether the service is back; each next wait is twice as long. */
const firstWaitMs = 1000;
const longestWaitMs = 30_000;

/** One job may be the reason for its own 500s. So many in a row are not. */
const enoughJobs = 3;

/** How a request failed: it did not reach the service, or the service accepted it and did not serve it. */
export type Unserved = "unreached" | "unserved";

/**
 * Detects that the service is away: requests do not reach it, or several jobs in a row got only 5xx, timeouts or broken connections.
 * During an outage one request at a time looks whether the service is back, at growing intervals.
 * It has no clock or timer of its own. Any clock that goes forward serves.
 */
export class Outage {
  readonly #giveUpAfterMs: number;
  /** The jobs that have failed since the last answer, as far as they have to be told apart. */
  readonly #failedJobs = new Set<unknown>();
  #sinceMs: number | undefined;
  #isOn = false;
  #waitMs = firstWaitMs;
  #nextRequestAtMs = Number.NEGATIVE_INFINITY;

  /** @param giveUpAfterMs - how long an outage may last before {@link hasLastedTooLong} is true */
  constructor(giveUpAfterMs: number) {
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  /** Whether the service is away, as far as is known. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** When the next request may be sent; in the past if there is no outage. */
  get nextRequestAtMs(): number {
    return this.#nextRequestAtMs;
  }

  /** When the first request failed of those that failed in a row; `undefined` if the last one was answered. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** Whether it is time to end the run. */
  hasLastedTooLong(nowMs: number): boolean {
    return this.#isOn && this.#sinceMs !== undefined && nowMs - this.#sinceMs >= this.#giveUpAfterMs;
  }

  /** Registers any answer except 5xx: the service is there. */
  answered(): void {
    this.#failedJobs.clear();
    this.#sinceMs = undefined;
    this.#isOn = false;
    this.#waitMs = firstWaitMs;
    this.#nextRequestAtMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Registers a request that failed.
   *
   * @param job - tells jobs apart
   * @param sentAtMs - when its request was sent. Requests that were in flight when the outage began do not make it longer.
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
