import type { Redis } from "ioredis";
import type { BulkOutage } from "../bulk/index.ts";
import {
  advance,
  type FleetReport,
  type FleetState,
  initialState,
  isOutage,
  limitFor,
  rateOf,
} from "./fleet-state.ts";
import { QueueError } from "./queue-error.ts";
import { nowText } from "./run-scripts.ts";

/** The interval at which a worker reports and reads the state. */
const tickMs = 500;
/** Redis counts as hung if it has not responded for this time. */
const hungMs = 5_000;
/** A worker that did not report for this time counts as dead. */
const workerMs = 15_000;

/**
 * Adds what a worker reports, and returns what all workers know. A limit without an end, which a power failure can leave, is deleted.
 * KEYS: pace, workers, limiter, prioritized, delayed, wait. ARGV: refusals, id of the worker or nothing, how long a worker lives.
 */
const reportScript = `${nowText}
if ARGV[1] ~= "0" then redis.call("HINCRBY", KEYS[1], "refused", ARGV[1]) end
if ARGV[2] ~= "" then redis.call("ZADD", KEYS[2], now, ARGV[2]) end
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", now - ARGV[3])
if redis.call("PTTL", KEYS[3]) == -1 then redis.call("DEL", KEYS[3]) end
local waiting = redis.call("ZCARD", KEYS[4]) + redis.call("ZCARD", KEYS[5])
if redis.call("TYPE", KEYS[6]).ok == "list" then waiting = waiting + redis.call("LLEN", KEYS[6]) end
local fields = redis.call("HMGET", KEYS[1], "version", "state", "perSecond", "begun", "passed", "refused")
return { now, waiting, redis.call("ZCARD", KEYS[2]), fields[1] or "0", fields[2] or "", fields[3] or "", fields[4] or "0", fields[5] or "0", fields[6] or "0" }`;

/**
 * Stores a state, unless another worker was faster, with BullMQ's limit and a pause. KEYS: pace, meta, limiter.
 * ARGV: version that was read, state, epoch, max, duration, pause in milliseconds; below 0 to end all pauses.
 */
const storeScript = `
if (redis.call("HGET", KEYS[1], "version") or "0") ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "version", ARGV[1] + 1, "state", ARGV[2], "epoch", ARGV[3])
redis.call("HSET", KEYS[2], "max", ARGV[4], "duration", ARGV[5])
local pauseMs = tonumber(ARGV[6])
if pauseMs < 0 then redis.call("DEL", KEYS[3]) end
if pauseMs > 0 and pauseMs > redis.call("PTTL", KEYS[3]) then redis.call("SET", KEYS[3], "9007199254740991", "PX", pauseMs) end
return 1`;

interface Scripts {
  reportToFleet(...args: readonly (string | number)[]): Promise<(string | number)[]>;
  storeFleetState(...args: readonly (string | number)[]): Promise<0 | 1>;
}

/** Without results: the first epoch is 1. */
const nothing: FleetReport = { epoch: 0 };

/** What a worker learns from a report. */
export interface FleetView {
  readonly state: FleetState;
  readonly nowMs: number;
  /** The number of jobs that no worker is processing. */
  readonly waiting: number;
  /** The number of live workers. */
  readonly workers: number;
  /** The number of successes of all workers. */
  readonly passed: number;
  /** The limit that the user set; `Infinity` without one. */
  readonly perSecond: number;
}

/** The events that a worker receives. */
interface FleetEvents {
  /** Called when an outage begins or ends. */
  readonly onOutage: (outage: BulkOutage) => void;
  /** Called with each new view. */
  readonly onView: (view: FleetView) => void;
  /** Called each time Redis refuses a report or does not respond. */
  readonly onError: (error: unknown) => void;
}

/** What all workers of a queue know about the service, in Redis. Each worker reports, and computes the next state. */
export class Fleet {
  readonly #redis: Redis & Scripts;
  readonly #keyOf: (part: string) => string;

  /** @param keyOf - returns a key of the queue: `bull:payslips:meta` for `meta` */
  constructor(redis: Redis, keyOf: (part: string) => string) {
    redis.defineCommand("reportToFleet", { numberOfKeys: 6, lua: reportScript });
    redis.defineCommand("storeFleetState", { numberOfKeys: 3, lua: storeScript });
    this.#redis = redis as Redis & Scripts;
    this.#keyOf = keyOf;
  }

  /** Sets the user's limit for all workers. */
  async setLimit(perSecond: number): Promise<void> {
    const key = this.#keyOf("pace");
    if (Number.isFinite(perSecond)) await this.#redis.hset(key, "perSecond", perSecond);
    else await this.#redis.hdel(key, "perSecond");
  }

  /** Reads the state without a report. */
  async read(): Promise<FleetView> {
    return (await this.#send(0, "")).view;
  }

  /**
   * Reports results, and stores the state that follows from them.
   *
   * @param worker - the id of the worker
   * @param answer - the last response, if any
   * @param isLimitChanged - whether the user set a limit
   */
  async report(
    worker: string,
    answer: FleetReport,
    report: FleetReport = nothing,
    isLimitChanged = false,
  ): Promise<FleetView> {
    for (let refused = report.isRefused ? 1 : 0; ; refused = 0) {
      const { view, version, accepted } = await this.#send(refused, worker);
      const { nowMs, passed, perSecond } = view;
      const counts = { nowMs, accepted, passed };
      const { state: before } = advance(view.state, answer, counts);
      const { state, pauseMs } = advance(before, report, counts);
      if (state === view.state && version > 0 && !isLimitChanged) return view;
      const { max, duration } = limitFor(state, perSecond);
      const keys = ["pace", "meta", "limiter"].map(this.#keyOf);
      // The window of the last probe request would keep all workers waiting.
      const isOver = isOutage(view.state) && !isOutage(state);
      const pause = isOver ? -1 : Math.ceil(pauseMs);
      const values = [version, JSON.stringify(state), state.epoch, max, duration, pause];
      if (await this.#redis.storeFleetState(...keys, ...values)) return { ...view, state };
      // Another worker was faster, and may have processed the same event.
    }
  }

  /** Forgets a worker that ends. */
  async leave(worker: string): Promise<void> {
    await this.#redis.zrem(this.#keyOf("workers"), worker);
  }

  async #send(
    refused: number,
    worker: string,
  ): Promise<{ readonly view: FleetView; readonly version: number; readonly accepted: number }> {
    const keys = ["pace", "workers", "limiter", "prioritized", "delayed", "wait"].map(this.#keyOf);
    const found = await this.#redis.reportToFleet(...keys, refused, worker, workerMs);
    const [nowMs, waiting, workers, version, state, perSecond, begun, allPassed, allRefused] = found;
    return {
      view: {
        state: readState(String(state)),
        nowMs: Number(nowMs),
        waiting: Number(waiting),
        workers: Number(workers),
        passed: countOf(allPassed),
        perSecond: Number(perSecond) || Number.POSITIVE_INFINITY,
      },
      version: countOf(version),
      accepted: countOf(begun) - countOf(allRefused),
    };
  }
}

/** Reports for one worker, regularly and whenever there is something to report. */
export class FleetMember {
  readonly id = crypto.randomUUID();
  readonly #fleet: Fleet;
  readonly #events: FleetEvents;
  #outage: { readonly sinceMs: number; readonly error: unknown } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #lastError: unknown;
  /** The last response since the last report. */
  #answer: FleetReport = nothing;

  constructor(fleet: Fleet, events: FleetEvents) {
    this.#fleet = fleet;
    this.#events = events;
  }

  /** Begins to report. */
  async open(perSecond: number | undefined): Promise<void> {
    if (perSecond !== undefined) await this.#fleet.setLimit(perSecond);
    await this.#send(nothing, perSecond !== undefined);
    this.#schedule();
  }

  /** Records a response. The end of an outage is reported immediately. */
  answered(epoch: number): void {
    if (epoch > this.#answer.epoch) this.#answer = { epoch, isAnswered: true };
    if (this.#outage) this.#send().catch(this.#events.onError);
  }

  /** @param error - the error of a failure, for `onOutage` */
  async report(report: FleetReport, error?: unknown): Promise<FleetView> {
    if (report.failure) this.#lastError = error;
    return this.#send(report);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // The worker ends, whatever the view says.
    await this.#fleet.report(this.id, this.#answer);
    await this.#fleet.leave(this.id);
  }

  async #send(report?: FleetReport, isLimitChanged?: boolean): Promise<FleetView> {
    const answer = this.#answer;
    this.#answer = nothing;
    return this.#see(await this.#fleet.report(this.id, answer, report, isLimitChanged));
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(async () => {
      // A connection to a hung server reports no error.
      const timer = setTimeout(() => this.#fail(notResponding()), hungMs);
      timer.unref?.();
      try {
        await this.#send();
      } catch (error) {
        this.#fail(error);
      } finally {
        clearTimeout(timer);
      }
      this.#schedule();
    }, tickMs);
    this.#timer.unref?.();
  }

  #fail(error: unknown): void {
    if (!this.#isClosed) this.#events.onError(error);
  }

  #see(view: FleetView): FleetView {
    const { state, nowMs } = view;
    const wasOutage = this.#outage;
    const { sinceMs = nowMs, message = "" } = state.failing ?? {};
    // Another worker may have seen the failure.
    const error = wasOutage?.error ?? this.#lastError ?? new QueueError(message);
    this.#outage = isOutage(state) ? { sinceMs, error } : undefined;
    const began = wasOutage ?? this.#outage;
    if (began && Boolean(wasOutage) !== Boolean(this.#outage)) {
      this.#events.onOutage({ isOver: !this.#outage, error, durationMs: nowMs - began.sinceMs });
    }
    if (!state.failing) this.#lastError = undefined;
    this.#events.onView(view);
    return view;
  }
}

function notResponding(): QueueError {
  return new QueueError(
    `Redis has not responded for ${hungMs / 1000} s. The worker continues when Redis responds again.`,
  );
}

/** Returns the requests per second that all workers may send; nothing without a limit. */
export function limitOf({ state, perSecond }: FleetView): number | undefined {
  const rate = Math.min(rateOf(state), perSecond);
  return Number.isFinite(rate) ? rate : undefined;
}

/** Returns the initial state for a text that is no state. */
function readState(text: string): FleetState {
  try {
    const { epoch, samples, ...others } = JSON.parse(text) as FleetState;
    if (Number.isSafeInteger(epoch) && Array.isArray(samples)) return { epoch, samples, ...others };
  } catch {}
  return initialState;
}

/** Returns a count from Redis, or 0 for what is not a number. */
function countOf(text: string | number | undefined): number {
  return Number(text ?? 0) || 0;
}
