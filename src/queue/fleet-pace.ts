import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { RateSeeker } from "../bulk/pace/rate-seeker.ts";

/** How often the worker that leads looks at the counts, and how often the others look whether somebody leads. */
const tickMs = 250;
const followMs = 2_000;
/** A worker leads until it has not been heard of for so long. */
const leaseMs = 5_000;

/** BullMQ counts requests in windows of about this length. */
const windowMs = 200;

/** BullMQ obeys a pause only in a queue that has a limit: this is none in effect. */
const noLimit = { max: 1_000_000, duration: 1000 };

/** If the service refuses without `Retry-After`, nothing is sent for so long. */
const pauseMs = 500;

/** How far back the documents are counted that tell the first limit. */
const lookBackMs = 1000;

/**
 * The pace of all workers of a queue. Every worker reports refusals here. One of them leads: it seeks the rate that the service
 * allows, as a single run does, and sets it as the limit of the queue, which BullMQ holds for all workers.
 */
export class FleetPace {
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #key: string;
  readonly #worker = crypto.randomUUID();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #leading: Leading | undefined;

  /** @param key - of the counts that the workers share: `sent`, `passed`, `perSecond` */
  constructor(redis: Redis, queue: Queue, key: string) {
    this.#redis = redis;
    this.#queue = queue;
    this.#key = key;
  }

  /** @param perSecond - the limit of the whole queue, if this worker sets one */
  async open(perSecond: number | undefined): Promise<void> {
    if (perSecond === undefined) {
      // As `setGlobalRateLimit` does, but not in place of a limit that another worker sets at this moment.
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

  /** Reports a refusal: all workers pause, and the one that leads lowers the limit. */
  async refused(retryAfterMs: number | undefined): Promise<void> {
    const holdMs = Math.max(1, Math.ceil(retryAfterMs ?? pauseMs));
    // Not shorter than a pause that another worker was asked for.
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
      // Redis is away: the limit stays, and the next tick tries again.
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
    const rate = this.#leading.at(
      performance.now(),
      Number(sent ?? 0),
      Number(passed ?? 0),
      refusals.map(Number),
    );
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

/** A window that allows so many a second, of a length that makes it exact to half a percent. */
export function windowOf(perSecond: number): { readonly max: number; readonly duration: number } {
  if (!Number.isFinite(perSecond)) return noLimit;
  const max = Math.max(1, Math.round((perSecond * windowMs) / 1000));
  return { max, duration: Math.max(1, Math.round((max * 1000) / perSecond)) };
}

/** What the worker that leads knows: it turns counts into a rate. Any clock that goes forward serves. */
export class Leading {
  #seeker: RateSeeker | undefined;
  #samples: { readonly atMs: number; readonly sent: number; readonly passed: number }[] = [];
  /** Refusals of what was sent before the rate fell say nothing new. */
  #quietUntilMs = Number.NEGATIVE_INFINITY;
  #number = 0;

  /** @param limit - the rate that another worker found; `Infinity` if none did */
  constructor(limit: number) {
    if (Number.isFinite(limit)) this.#seeker = RateSeeker.below(limit);
  }

  /**
   * @param refusals - the pauses that were asked for since the last time, in milliseconds
   * @returns requests a second; `Infinity` while nothing was refused
   */
  at(nowMs: number, sent: number, passed: number, refusals: readonly number[]): number {
    const last = this.#samples.at(-1) ?? { atMs: nowMs - tickMs, sent, passed };
    this.#samples.push({ atMs: nowMs, sent, passed });
    while ((this.#samples[1]?.atMs ?? nowMs) <= nowMs - lookBackMs) this.#samples.shift();
    this.#feed(last, nowMs, sent - last.sent, passed - last.passed);
    // A first look at the counts does not tell how many passed lately.
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

  /** Gives the seeker what happened since the last time, as if it had come evenly. */
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
