import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { RateSeeker } from "../bulk/pace/rate-seeker.ts";

/** The interval at which the leader reads the counts, and the others check for a leader. */
const tickMs = 250;
const followMs = 2_000;
/** The leader loses its role after this time without a renewal. */
const leaseMs = 5_000;

/** BullMQ counts requests in windows of about this length. */
const windowMs = 200;

/** BullMQ obeys a pause only in a queue with a limit. This limit has no effect. */
const noLimit = { max: 1_000_000, duration: 1000 };

/** The pause after a refusal without `Retry-After`. */
const pauseMs = 500;

/** The window in which documents are counted to find the first limit. */
const lookBackMs = 1000;

/** The maximum number of requests between two readings that are considered. A count in Redis may be changed. */
const mostEvents = 100_000;

/**
 * The pace of all workers in a queue. Every worker reports refusals. One worker is the leader. Like a single
 * run, it finds the rate that the service allows. It sets that rate as the queue's limit, which BullMQ
 * enforces for all workers.
 */
export class FleetPace {
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #key: string;
  readonly #worker = crypto.randomUUID();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #leading: Leading | undefined;

  /** @param key - the key of the shared counts: `sent`, `passed`, `perSecond` */
  constructor(redis: Redis, queue: Queue, key: string) {
    this.#redis = redis;
    this.#queue = queue;
    this.#key = key;
  }

  /** @param perSecond - the limit for the whole queue, if this worker sets one */
  async open(perSecond: number | undefined): Promise<void> {
    if (perSecond === undefined) {
      // Like `setGlobalRateLimit`, but does not replace a limit that another worker sets at the same time.
      const meta = this.#queue.toKey("meta");
      await this.#redis.hsetnx(meta, "max", noLimit.max);
      await this.#redis.hsetnx(meta, "duration", noLimit.duration);
    } else {
      await this.#redis.hset(this.#key, "perSecond", String(perSecond));
      await this.#redis.hdel(this.#key, "limit");
      await this.#setLimit(perSecond);
    }
    await this.#tick();
  }

  /** Reports a refusal: all workers pause, and the leader lowers the limit. */
  async refused(retryAfterMs: number | undefined): Promise<void> {
    const holdMs = Math.max(1, Math.ceil(retryAfterMs ?? pauseMs));
    // Does not shorten another worker's pause.
    if ((await this.#queue.getRateLimitTtl()) < holdMs) await this.#queue.rateLimit(holdMs);
    await this.#redis.rpush(`${this.#key}:refusals`, holdMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const key = this.#leaderKey;
    if (this.#leading && (await this.#redis.get(key)) === this.#worker) await this.#redis.del(key);
  }

  get #leaderKey(): string {
    return `${this.#key}:leader`;
  }

  async #tick(): Promise<void> {
    try {
      if (await this.#isLeader()) await this.#lead();
      else this.#leading = undefined;
    } catch {
      // Redis is unavailable. The limit stays, and the next tick retries.
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#tick(), this.#leading ? tickMs : followMs);
    this.#timer.unref?.();
  }

  async #isLeader(): Promise<boolean> {
    const key = this.#leaderKey;
    if ((await this.#redis.set(key, this.#worker, "PX", leaseMs, "NX")) === "OK") return true;
    if ((await this.#redis.get(key)) !== this.#worker) return false;
    await this.#redis.pexpire(key, leaseMs);
    return true;
  }

  async #lead(): Promise<void> {
    const [sent, passed, perSecond, limit] = await this.#redis.hmget(
      this.#key,
      ...["sent", "passed", "perSecond", "limit"],
    );
    const refusals = (await this.#redis.lpop(`${this.#key}:refusals`, 1000)) ?? [];
    const known = Number(limit ?? Number.POSITIVE_INFINITY);
    this.#leading ??= new Leading(known);
    const rate = this.#leading.at(performance.now(), countOf(sent), countOf(passed), refusals.map(Number));
    if (!Number.isFinite(rate)) return;
    const allowed = Math.min(rate, Number(perSecond ?? Number.POSITIVE_INFINITY));
    if (Math.abs(allowed - known) < known * 0.002) return;
    await this.#redis.hset(this.#key, "limit", String(allowed));
    await this.#setLimit(allowed);
  }

  async #setLimit(perSecond: number): Promise<void> {
    const { max, duration } = windowOf(perSecond);
    await this.#queue.setGlobalRateLimit(max, duration);
  }
}

/** Returns a count from Redis, or 0 for what is not a number. */
function countOf(text: string | null | undefined): number {
  return Number(text ?? 0) || 0;
}

/** Returns a window for a rate per second, accurate to half a percent. */
export function windowOf(perSecond: number): { readonly max: number; readonly duration: number } {
  if (!Number.isFinite(perSecond)) return noLimit;
  const max = Math.max(1, Math.round((perSecond * windowMs) / 1000));
  return { max, duration: Math.max(1, Math.round((max * 1000) / perSecond)) };
}

/** Computes the rate of the leader from counts. Works with any monotonic clock. */
export class Leading {
  #seeker: RateSeeker | undefined;
  #samples: { readonly atMs: number; readonly sent: number; readonly passed: number }[] = [];
  /** Refusals of requests that were sent before the rate fell are ignored. */
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #number = 0;

  /** @param limit - the rate that another worker found; `Infinity` if none did */
  constructor(limit: number) {
    if (Number.isFinite(limit)) this.#seeker = RateSeeker.below(limit);
  }

  /**
   * @param refusals - the requested pauses since the last call, in milliseconds
   * @returns requests per second; `Infinity` before the first refusal
   */
  at(nowMs: number, sent: number, passed: number, refusals: readonly number[]): number {
    const last = this.#samples.at(-1) ?? { atMs: nowMs - tickMs, sent, passed };
    this.#samples.push({ atMs: nowMs, sent, passed });
    while ((this.#samples[1]?.atMs ?? nowMs) <= nowMs - lookBackMs) this.#samples.shift();
    this.#feed(
      last,
      nowMs,
      Math.min(sent - last.sent, mostEvents),
      Math.min(passed - last.passed, mostEvents),
    );
    // The first counts do not show the recent rate.
    const isFirst = this.#samples.length === 1;
    if (refusals.length > 0 && nowMs >= this.#quietUntilMs && !(isFirst && !this.#seeker)) {
      const holdMs = Math.max(...refusals);
      this.#quietUntilMs = nowMs + holdMs + tickMs;
      const first = this.#samples[0] as { readonly passed: number };
      this.#seeker ??= RateSeeker.below(Math.max(1, ((passed - first.passed) * 1000) / lookBackMs));
      this.#seeker.refused(this.#number, nowMs, holdMs);
    }
    return this.#seeker?.perSecond ?? Number.POSITIVE_INFINITY;
  }

  /** Passes the events since the last call to the seeker, evenly spaced. */
  #feed(last: { readonly atMs: number }, nowMs: number, sent: number, passed: number): void {
    const seeker = this.#seeker;
    if (!seeker) return;
    const durationMs = nowMs - last.atMs;
    const isAtFullRate = sent >= (0.85 * (seeker.perSecond * durationMs)) / 1000;
    for (let count = 1; count <= sent; count++) {
      this.#number += 1;
      seeker.sent(this.#number, last.atMs + (durationMs * count) / sent, isAtFullRate);
    }
    for (let count = 0; count < passed; count++) seeker.passed(this.#number);
  }
}
