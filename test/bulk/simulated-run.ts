import { Pace } from "../../src/bulk/pace/pace.ts";
import type { Limiter } from "./rate-limited-server.ts";

/** What a run that never ends in work came to, in virtual time. */
export interface Outcome {
  /** Accepted a second over the whole run. */
  readonly perSecond: number;
  /** The same from `settledFromMs` on. */
  readonly settledPerSecond: number;
  readonly refused: number;
  readonly refusedShare: number;
  /** The highest rate that the pace came to allow itself, once it had been refused. */
  readonly highestRate: number;
}

export interface Circumstances {
  readonly durationMs: number;
  readonly settledFromMs: number;
  /** From sent to answered, at the median; by a half more or less. */
  readonly latencyMs: number;
  /** A refusal comes at once, which is what a limiter before the service does, or takes as long as a document. */
  readonly refusesAtOnce: boolean;
  readonly random: () => number;
}

interface Event {
  readonly atMs: number;
  readonly happen: (nowMs: number) => void;
}

/** Forty seconds at the pace `"auto"`, the latter half of them settled, where nothing else is said. */
export function simulateAuto(server: Limiter, circumstances: Partial<Circumstances> = {}): Outcome {
  const durationMs = circumstances.durationMs ?? 40_000;
  return simulateRun(new Pace({ concurrency: "auto" }), server, {
    durationMs,
    settledFromMs: durationMs / 2,
    latencyMs: 40,
    refusesAtOnce: true,
    random: seededRandom(8),
    ...circumstances,
  });
}

/** Lets a pace send to a server as fast as it allows, in virtual time, with timers that are late by up to 1.5 ms. */
function simulateRun(pace: Pace, server: Limiter, circumstances: Circumstances): Outcome {
  const { durationMs, settledFromMs, latencyMs, refusesAtOnce, random } = circumstances;
  const events = new EventQueue();
  const acceptedAtMs: number[] = [];
  let [underWay, refused, highestRate] = [0, 0, 0];
  let wakesAtMs = Number.POSITIVE_INFINITY;

  function go(nowMs: number): void {
    while (underWay < pace.slots) {
      const waitMs = pace.waitMs(nowMs);
      if (waitMs > 0) return sleep(nowMs, waitMs);
      send(nowMs);
    }
  }

  function sleep(nowMs: number, waitMs: number): void {
    const atMs = nowMs + Math.max(1, Math.ceil(waitMs)) + random() * 1.5;
    if (wakesAtMs > nowMs && wakesAtMs <= atMs) return;
    wakesAtMs = atMs;
    events.add(atMs, (thenMs) => {
      if (thenMs === wakesAtMs) wakesAtMs = Number.POSITIVE_INFINITY;
      go(thenMs);
    });
  }

  function send(nowMs: number): void {
    const ticket = pace.sent(nowMs);
    // Not at each: the other tests have no use for it.
    if (ticket % 50 === 0 && pace.perSecond < Number.POSITIVE_INFINITY) {
      highestRate = Math.max(highestRate, pace.perSecond);
    }
    underWay += 1;
    const tookMs = latencyMs * (0.5 + random());
    const wayMs = Math.min(tookMs / 4, 1 + random());
    events.add(nowMs + wayMs, (arrivedMs) => {
      const answer = server.ask(arrivedMs);
      if (answer.status === 200) acceptedAtMs.push(arrivedMs);
      else refused += 1;
      const leftMs = answer.status === 200 || !refusesAtOnce ? tookMs - wayMs : wayMs;
      events.add(arrivedMs + leftMs, (thenMs) => {
        underWay -= 1;
        if (answer.status === 200) {
          server.done(thenMs);
          pace.passed(ticket, thenMs);
        } else if (answer.status === 429) pace.refused(ticket, thenMs, answer.retryAfterMs);
        else pace.overloaded(ticket, thenMs, answer.retryAfterMs);
        go(thenMs);
      });
    });
  }

  go(0);
  events.runUntil(durationMs);
  const settled = acceptedAtMs.filter((atMs) => atMs >= settledFromMs).length;
  return {
    perSecond: acceptedAtMs.length / (durationMs / 1000),
    settledPerSecond: settled / ((durationMs - settledFromMs) / 1000),
    refused,
    refusedShare: refused / (refused + acceptedAtMs.length),
    highestRate,
  };
}

/** What is to happen, the next at the end. */
class EventQueue {
  readonly #events: Event[] = [];

  add(atMs: number, happen: Event["happen"]): void {
    const later = this.#events.findLastIndex((event) => event.atMs > atMs);
    this.#events.splice(later + 1, 0, { atMs, happen });
  }

  runUntil(endMs: number): void {
    for (let event = this.#events.pop(); event && event.atMs < endMs; event = this.#events.pop()) {
      event.happen(event.atMs);
    }
  }
}

/** Numbers from 0 to less than 1 that are the same in every run: mulberry32. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
