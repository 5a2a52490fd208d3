import {
  advance,
  type FleetReport,
  type FleetState,
  initialState,
  limitFor,
} from "../../src/queue/fleet-state.ts";

/** How a service limits requests: tokens that refill evenly, or a number in each second of the clock. */
export const kinds = ["bucket", "window"] as const;

interface Simulation {
  readonly kind: (typeof kinds)[number];
  /** The number of requests per second that the service allows, also at a time. */
  readonly limit: number | ((atMs: number) => number);
  /** Whether refusals say how long to wait. */
  readonly retryAfter: boolean;
  readonly perSecond?: number;
  readonly seconds?: number;
  readonly seed?: number;
}

const workerCount = 6;
const concurrency = 16;
const firstConcurrency = 2;
const tickMs = 500;
const latencyMs = 50;
/** The time in which the workers find the limit. */
const findingMs = 10_000;

/** Simulates workers at a service in virtual time, with BullMQ's limiter. Returns what the service saw. */
export function measure(simulation: Simulation) {
  const { perSecond = Number.POSITIVE_INFINITY, seconds = 60, seed = 1 } = simulation;
  const { limit, retryAfter } = simulation;
  const random = randomOf(seed);
  const clock = new Clock();
  const limitAt = typeof limit === "number" ? () => limit : limit;
  const serve = simulation.kind === "bucket" ? bucketOf(limitAt) : windowOf(limitAt);
  const requests: { readonly atMs: number; readonly isServed: boolean }[] = [];

  let state: FleetState = initialState;
  let [accepted, passed] = [0, 0];
  let limiter = { count: 0, endsAtMs: 0 };

  function report(given: FleetReport): void {
    const { state: next, pauseMs } = advance(state, given, { nowMs: clock.nowMs, accepted, passed });
    state = next;
    const endsAtMs = clock.nowMs + pauseMs;
    if (pauseMs > 0) limiter = { count: Number.POSITIVE_INFINITY, endsAtMs };
  }

  /** Returns when a worker may try again if BullMQ does not start a job now. */
  function start(): number | undefined {
    const { max, duration } = limitFor(state, perSecond);
    if (limiter.endsAtMs <= clock.nowMs) limiter = { count: 0, endsAtMs: clock.nowMs + duration };
    if (limiter.count >= max) return limiter.endsAtMs + 1 + random() * 2;
    limiter.count++;
    return undefined;
  }

  class SimulatedWorker {
    concurrency = firstConcurrency;
    active = 0;
    answeredEpoch = 0;
    isWaiting = false;

    fetch(): void {
      while (!this.isWaiting && this.active < this.concurrency) {
        const againAtMs = start();
        if (againAtMs === undefined) this.request();
        else this.wait(againAtMs);
      }
    }

    wait(untilMs: number): void {
      this.isWaiting = true;
      clock.at(untilMs, () => {
        this.isWaiting = false;
        this.fetch();
      });
    }

    request(): void {
      this.active++;
      accepted++;
      const { epoch } = state;
      clock.after(1 + random() * 2, () => {
        const refusedMs = serve(clock.nowMs);
        requests.push({ atMs: clock.nowMs, isServed: refusedMs === undefined });
        const durationMs = refusedMs === undefined ? latencyMs * (0.8 + random() * 0.4) : 2;
        clock.after(durationMs, () => this.end(epoch, refusedMs));
      });
    }

    end(epoch: number, refusedMs: number | undefined): void {
      this.active--;
      if (refusedMs === undefined) {
        passed++;
        this.answeredEpoch = epoch;
        this.concurrency = Math.min(concurrency, this.concurrency + 1);
      } else {
        accepted--;
        this.tell();
        report({ epoch, isRefused: true, retryAfterMs: retryAfter ? refusedMs : undefined });
      }
      this.fetch();
    }

    tell(): void {
      report({ epoch: this.answeredEpoch, isAnswered: true });
      this.answeredEpoch = 0;
    }

    tick(): void {
      this.tell();
      clock.after(tickMs, () => this.tick());
    }
  }

  for (let index = 0; index < workerCount; index++) {
    const worker = new SimulatedWorker();
    clock.at(index * 30, () => worker.fetch());
    clock.at(index * 80, () => worker.tick());
  }
  clock.runUntil(seconds * 1000);

  const late = requests.filter(({ atMs }) => atMs > findingMs);
  const servedBetween = (fromMs: number, toMs: number) =>
    requests.filter(({ atMs, isServed }) => isServed && atMs > fromMs && atMs <= toMs).length;
  let allowed = 0;
  for (let second = seconds / 2; second < seconds; second++) allowed += limitAt(second * 1000);
  return {
    /** The share of requests that the service refused after the workers had time to find its limit. */
    refusedShare: late.filter(({ isServed }) => !isServed).length / late.length,
    /** The share of the service's limit that was reached in the last half. */
    reachedShare: servedBetween(seconds * 500, seconds * 1000) / allowed,
    servedBetween,
    mostInOneSecond: mostInOneSecond(requests.map(({ atMs }) => atMs)),
  };
}

/** Runs actions in the order of their times. */
class Clock {
  nowMs = 0;
  readonly #events: { readonly atMs: number; readonly order: number; readonly act: () => void }[] = [];
  #count = 0;

  at(atMs: number, act: () => void): void {
    this.#events.push({ atMs, order: this.#count++, act });
  }

  after(delayMs: number, act: () => void): void {
    this.at(this.nowMs + delayMs, act);
  }

  runUntil(endMs: number): void {
    for (;;) {
      let next = 0;
      this.#events.forEach((event, at) => {
        const first = this.#events[next] as typeof event;
        if (event.atMs < first.atMs || (event.atMs === first.atMs && event.order < first.order)) next = at;
      });
      const [event] = this.#events.splice(next, 1);
      if (!event || event.atMs > endMs) return;
      this.nowMs = event.atMs;
      event.act();
    }
  }
}

/** Returns nothing for a served request, and otherwise how long to wait. */
type Serve = (nowMs: number) => number | undefined;

function bucketOf(limitAt: (atMs: number) => number): Serve {
  let tokens = limitAt(0);
  let lastMs = 0;
  return (nowMs) => {
    const limit = limitAt(nowMs);
    tokens = Math.min(limit, tokens + ((nowMs - lastMs) * limit) / 1000);
    lastMs = nowMs;
    if (tokens < 1) return Math.ceil((1 - tokens) / limit) * 1000;
    tokens--;
    return undefined;
  };
}

function windowOf(limitAt: (atMs: number) => number): Serve {
  let [second, count] = [-1, 0];
  return (nowMs) => {
    const current = Math.floor(nowMs / 1000);
    if (current !== second) [second, count] = [current, 0];
    return count++ < limitAt(nowMs) ? undefined : 1000;
  };
}

function mostInOneSecond(timesMs: readonly number[]): number {
  let [first, most] = [0, 0];
  timesMs.forEach((atMs, index) => {
    while (atMs - (timesMs[first] as number) >= 1000) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/** Returns a generator of numbers from 0 to 1 that depend only on the seed: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
