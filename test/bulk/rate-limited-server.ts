/** Servers that allow so much and refuse the rest, in virtual time. */

interface Answer {
  readonly status: 200 | 429 | 503;
  readonly retryAfterMs?: number | undefined;
}

export interface Limiter {
  /** A request arrives. */
  ask(nowMs: number): Answer;
  /** An accepted one is answered. */
  done(nowMs: number): void;
}

/** Requests a second that are allowed at that time. */
export type Allowed = (nowMs: number) => number;

/** What a refusal says: nothing, always so many seconds, or the rest of the window rounded up to whole seconds. */
export type RetryAfter = "none" | "1" | "2" | "5" | "10" | "rest";

const accepted: Answer = { status: 200 };

/** So many in each window, which begins at a whole `windowMs` of the clock, or with the first request after the last. */
export function fixedWindow(
  allowed: Allowed,
  says: RetryAfter,
  begins: "by the clock" | "with a request" = "by the clock",
  windowMs = 1000,
  clockOffsetMs = 370,
): Limiter {
  let [startMs, count] = [Number.NEGATIVE_INFINITY, 0];
  return limiter((nowMs) => {
    if (nowMs >= startMs + windowMs) {
      startMs =
        begins === "with a request"
          ? nowMs
          : Math.floor((nowMs + clockOffsetMs) / windowMs) * windowMs - clockOffsetMs;
      count = 0;
    }
    if (count >= (allowed(nowMs) * windowMs) / 1000) return refusal(says, startMs + windowMs - nowMs);
    count += 1;
    return accepted;
  });
}

/** So many in any second. */
export function slidingWindow(allowed: Allowed, says: RetryAfter): Limiter {
  const times: number[] = [];
  return limiter((nowMs) => {
    while (times[0] !== undefined && times[0] <= nowMs - 1000) times.shift();
    if (times.length >= allowed(nowMs)) return refusal(says, (times[0] ?? nowMs) + 1000 - nowMs);
    times.push(nowMs);
    return accepted;
  });
}

/** Tokens drip in, up to `burst`; each request takes one. */
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

/** So many under way at once; what is beyond is refused with that status. */
export function atOnce(most: number, status: 429 | 503, says: RetryAfter): Limiter {
  let underWay = 0;
  return {
    ask: () => {
      if (underWay >= most) return { ...refusal(says, 500), status };
      underWay += 1;
      return accepted;
    },
    done: () => {
      underWay -= 1;
    },
  };
}

/** The same server with another client, that sends so many a second whatever becomes of them. */
export function withAnother(server: Limiter, perSecond: number, random: () => number): Limiter {
  let nextMs = 0;
  return {
    ...server,
    ask: (nowMs) => {
      for (; nextMs <= nowMs; nextMs += ((0.8 + 0.4 * random()) * 1000) / perSecond) server.ask(nextMs);
      return server.ask(nowMs);
    },
  };
}

/** One that refuses nothing. */
export function unlimited(): Limiter {
  return limiter(() => accepted);
}

/** The same server, but out of order for that time. */
export function outOfOrder(server: Limiter, fromMs: number, untilMs: number, says: RetryAfter): Limiter {
  return {
    ...server,
    ask: (nowMs) => (nowMs >= fromMs && nowMs < untilMs ? refusal(says, untilMs - nowMs) : server.ask(nowMs)),
  };
}

/** The same server, but the first request from then on is refused. */
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

function limiter(ask: Limiter["ask"]): Limiter {
  return { ask, done: () => {} };
}

function refusal(says: RetryAfter, restMs: number): Answer {
  if (says === "none") return { status: 429 };
  return { status: 429, retryAfterMs: 1000 * (says === "rest" ? Math.ceil(restMs / 1000) : Number(says)) };
}
