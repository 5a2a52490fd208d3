import { Pace } from "../../src/bulk/pace/pace.ts";

/** A server with a limit, in virtual time. */
export interface Limiter {
  /** Receives a request. */
  ask(nowMs: number): { readonly status: 200 | 429 | 503; readonly retryAfterMs?: number | undefined };
  /** Called when an accepted request is complete. */
  done(nowMs: number): void;
}

/** The requests per second that are allowed at this time. */
export type Allowed = (nowMs: number) => number;

/** Retry-After: absent, a fixed number of seconds, or the rest of the window rounded up to seconds. */
export type RetryAfter = "none" | "1" | "2" | "5" | "10" | "rest";

const accepted = { status: 200 } as const;

function limiter(ask: Limiter["ask"]): Limiter {
  return { ask, done: () => {} };
}

function refusal(says: RetryAfter, restMs: number) {
  if (says === "none") return { status: 429 } as const;
  const seconds = says === "rest" ? Math.ceil(restMs / 1000) : Number(says);
  return { status: 429, retryAfterMs: 1000 * seconds } as const;
}

/** A fixed number in each window, which begins at a multiple of `windowMs` or with the first request after the last window. */
export function fixedWindow(
  allowed: Allowed,
  says: RetryAfter,
  begins: "by the clock" | "with a request" = "by the clock",
  windowMs = 1000,
): Limiter {
  const clockOffsetMs = 370;
  let [startMs, count] = [Number.NEGATIVE_INFINITY, 0];
  return limiter((nowMs) => {
    if (nowMs >= startMs + windowMs) {
      const byClockMs = Math.floor((nowMs + clockOffsetMs) / windowMs) * windowMs - clockOffsetMs;
      startMs = begins === "with a request" ? nowMs : byClockMs;
      count = 0;
    }
    if (count >= (allowed(nowMs) * windowMs) / 1000) return refusal(says, startMs + windowMs - nowMs);
    count += 1;
    return accepted;
  });
}

/** A token bucket of size `burst`. Each request takes one token. */
export function tokenBucket(allowed: Allowed, burst: number, says: RetryAfter): Limiter {
  let [tokens, atMs] = [burst, 0];
  return limiter((nowMs) => {
    const rate = allowed(nowMs) / 1000;
    tokens = Math.min(burst, tokens + (nowMs - atMs) * rate);
    atMs = nowMs;
    if (tokens < 1) return refusal(says, (1 - tokens) / rate);
    tokens -= 1;
    return accepted;
  });
}

/** A limit of requests in flight. Others are refused with this status. */
export function atOnce(most: number, status: 429 | 503, says: RetryAfter): Limiter {
  let inFlight = 0;
  return {
    ask: () => {
      if (inFlight >= most) return { ...refusal(says, 500), status };
      inFlight += 1;
      return accepted;
    },
    done: () => {
      inFlight -= 1;
    },
  };
}

/** A server without a limit. */
export function unlimited(): Limiter {
  return limiter(() => accepted);
}

/** The same server with an outage during this time. */
export function outOfOrder(server: Limiter, fromMs: number, untilMs: number, says: RetryAfter): Limiter {
  return {
    ...server,
    ask: (nowMs) => (nowMs >= fromMs && nowMs < untilMs ? refusal(says, untilMs - nowMs) : server.ask(nowMs)),
  };
}

/** The same server, which refuses the first request from this time on. */
export function refusingOnce(server: Limiter, atMs: number, says: RetryAfter): Limiter {
  let isOver = false;
  return {
    ...server,
    ask: (nowMs) => {
      if (isOver || nowMs < atMs) return server.ask(nowMs);
      isOver = true;
      return refusal(says, 0);
    },
  };
}

const defaults = {
  durationMs: 40_000,
  /** The median response time. It varies by half in both directions. */
  latencyMs: 40,
  /** Whether a refusal comes at once, as from a limiter in front of the service, or takes as long as a document. */
  refusesAtOnce: true,
};

/**
 * Sends requests as fast as the pace `"auto"` allows, in virtual time, with timers that are up to 1.5 ms late.
 *
 * @param circumstances.settledFromMs - default: the second half of the run
 */
export function simulateAuto(
  server: Limiter,
  circumstances: Partial<typeof defaults> & { readonly settledFromMs?: number } = {},
) {
  const { durationMs, latencyMs, refusesAtOnce } = { ...defaults, ...circumstances };
  const settledFromMs = circumstances.settledFromMs ?? durationMs / 2;
  const pace = new Pace({ concurrency: "auto" });
  const random = seededRandom(8);
  const acceptedAtMs: number[] = [];
  let [inFlight, refused, highestRate] = [0, 0, 0];
  let wakesAtMs = Number.POSITIVE_INFINITY;
  /** The pending events, with the next one last. */
  const events: { readonly atMs: number; readonly happen: (nowMs: number) => void }[] = [];

  function schedule(atMs: number, happen: (nowMs: number) => void): void {
    const later = events.findLastIndex((event) => event.atMs > atMs);
    events.splice(later + 1, 0, { atMs, happen });
  }

  function go(nowMs: number): void {
    while (inFlight < pace.slots) {
      const waitMs = pace.waitMs(nowMs);
      if (waitMs > 0) return sleep(nowMs, waitMs);
      send(nowMs);
    }
  }

  function sleep(nowMs: number, waitMs: number): void {
    const atMs = nowMs + Math.max(1, Math.ceil(waitMs)) + random() * 1.5;
    if (wakesAtMs > nowMs && wakesAtMs <= atMs) return;
    wakesAtMs = atMs;
    schedule(atMs, (thenMs) => {
      if (thenMs === wakesAtMs) wakesAtMs = Number.POSITIVE_INFINITY;
      go(thenMs);
    });
  }

  function send(nowMs: number): void {
    const ticket = pace.sent(nowMs);
    // Not at each event, which would be slow.
    if (ticket % 50 === 0 && pace.perSecond < Number.POSITIVE_INFINITY)
      highestRate = Math.max(highestRate, pace.perSecond);
    inFlight += 1;
    const tookMs = latencyMs * (0.5 + random());
    const wayMs = Math.min(tookMs / 4, 1 + random());
    schedule(nowMs + wayMs, (arrivedMs) => {
      const { status, retryAfterMs } = server.ask(arrivedMs);
      if (status === 200) acceptedAtMs.push(arrivedMs);
      else refused += 1;
      const leftMs = status === 200 || !refusesAtOnce ? tookMs - wayMs : wayMs;
      schedule(arrivedMs + leftMs, (thenMs) => {
        inFlight -= 1;
        if (status === 200) {
          server.done(thenMs);
          pace.passed(ticket, thenMs);
        } else pace[status === 429 ? "refused" : "overloaded"](ticket, thenMs, retryAfterMs);
        go(thenMs);
      });
    });
  }

  go(0);
  for (let event = events.pop(); event && event.atMs < durationMs; event = events.pop())
    event.happen(event.atMs);
  const settled = acceptedAtMs.filter((atMs) => atMs >= settledFromMs).length;
  return {
    /** Accepted requests per second, over the whole run and from `settledFromMs` on. */
    perSecond: acceptedAtMs.length / (durationMs / 1000),
    settledPerSecond: settled / ((durationMs - settledFromMs) / 1000),
    refused,
    refusedShare: refused / (refused + acceptedAtMs.length),
    /** The highest rate that the pace allowed after the first refusal. */
    highestRate,
  };
}

/** Reproducible numbers from 0 to less than 1: mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
