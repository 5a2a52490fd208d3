/** How a request failed: it did not reach the service, or the service returned no result. */
type Unserved = "unreached" | "unserved";

/**
 * What all workers of a queue know about the service. It is stored in Redis as JSON. Whichever worker sees a response, a refusal
 * or a failure computes the next state with {@link advance}.
 */
export interface FleetState {
  /** Increases with each fall of the limit and each failed probe. Results of requests from an earlier epoch are no news. */
  readonly epoch: number;
  /** The number of requests per second that the service allows; `undefined` before the first refusal. */
  readonly ceiling?: number;
  /** The time to return to the ceiling; 0 while the ceiling is a guess, to exceed it immediately. */
  readonly climbMs: number;
  /** The time since the last fall in which requests were sent at the full rate. */
  readonly sendingMs: number;
  /** The last pause after a refusal without `Retry-After`; 0 once a request has succeeded. */
  readonly holdMs: number;
  /** The number of successes at the last fall. */
  readonly passedAtFall: number;
  /** Recent times and numbers of requests that were not refused, oldest first. */
  readonly samples: readonly (readonly [atMs: number, accepted: number])[];
  /** The time of the first refusal since the last success. */
  readonly refusedSinceMs?: number;
  /** The failures since the last response. */
  readonly failing?: Failing;
}

interface Failing {
  readonly sinceMs: number;
  /** The IDs of the jobs that failed, up to the number that indicates an outage. */
  readonly jobs: readonly string[];
  /** The number of successes at the first of these failures. */
  readonly passed: number;
  /** The message of the last failure. */
  readonly message: string;
  /** The delay before the next probe request, if the service is unavailable. */
  readonly probeMs?: number;
}

/** The results of requests that a worker reports. */
export interface FleetReport {
  /** The epoch in which the requests were sent. */
  readonly epoch: number;
  /** Whether the service responded with something other than 429 and 5xx. */
  readonly isAnswered?: boolean | undefined;
  /** Whether the service refused a request because there were too many. */
  readonly isRefused?: boolean | undefined;
  /** The requested pause in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** A request without a result. */
  readonly failure?: FleetFailure | undefined;
}

/** A request without a result. */
interface FleetFailure {
  readonly jobId: string;
  readonly how: Unserved;
  readonly message: string;
}

/** What is known when a report is processed. */
interface Counts {
  readonly nowMs: number;
  /** The number of requests of all workers that were not refused, including those in flight. */
  readonly accepted: number;
  /** The number of successes of all workers. */
  readonly passed: number;
}

export const initialState: FleetState = {
  epoch: 1,
  climbMs: 0,
  sendingMs: 0,
  holdMs: 0,
  passedAtFall: 0,
  samples: [],
};

/** A single job may cause its own 5xx responses. This many jobs in a row indicate an outage. */
const enoughJobs = 5;
const firstProbeMs = 1000;
const longestProbeMs = 30_000;

/** The interval between samples, and how far they reach back. */
const sampleMs = 450;
const recentMs = 2_000;
const shortestMeasureMs = 1_000;

/** Requests are sent at the full rate if this fraction of them succeeds. */
const fullRate = 0.8;
/** One request in two seconds, because low rates cannot be measured exactly. */
const slackRate = 0.5;

/** Fractions of the ceiling: the rate after a fall, and the rate that is held for long. */
const beginsAt = 0.935;
const staysAt = 0.985;
/** The time in which the rate grows e-fold beyond the ceiling, slowly at first. */
const growthMs = 8_500;
/** A refusal does not prove that the allowed rate is below this fraction of the current one. */
const deepestFall = 0.65;
/** A refusal this soon after a fall means that the rate is still too high, but the rate cannot be measured yet. */
const measureMs = 1_500;
const soonFall = 0.94;
/** A guess is often far too high, because a pause lets the service accept a burst. */
const guessFall = 0.87;
/** The fraction of the first accepted requests that is the first guess. */
const firstGuess = 0.65;
const measuredLow = 1.03;

/** The time to return to the ceiling: longer if refusals are expensive, within limits. */
const shortestClimbMs = 10_000;
const longestClimbMs = 200_000;
/** Pauses may take a fortieth of the time, and refusals one percent of the requests. */
const climbPerPause = 30;
const requestsPerRefusal = 120;

/** The pause after a refusal without `Retry-After`, longest if everything is refused. */
const shortestHoldMs = 100;
/** At a low rate, the pause lasts as long as this number of requests, so that few of them are refused. */
const requestsPerHold = 2.5;
const longestHoldMs = 8_000;
/** One in ten seconds. */
const slowestRate = 0.1;

/** Whether the service is unavailable. */
export function isOutage({ failing }: FleetState): boolean {
  return failing?.probeMs !== undefined;
}

/** Returns the number of requests per second; `Infinity` if no limit is known. */
export function rateOf({ ceiling, climbMs, sendingMs }: FleetState): number {
  if (ceiling === undefined) return Number.POSITIVE_INFINITY;
  const left = climbMs === 0 ? 0 : Math.max(0, 1 - sendingMs / climbMs);
  const beyond = Math.max(0, sendingMs - climbMs) / (climbMs === 0 ? growthMs / 2 : growthMs);
  return ceiling * (staysAt - (staysAt - beginsAt) * left ** 3) * Math.exp(beyond ** 2);
}

/** Returns the state after a report, and how long all workers must pause. */
export function advance(
  before: FleetState,
  report: FleetReport,
  counts: Counts,
): { readonly state: FleetState; readonly pauseMs: number } {
  const sampled = sample(before, counts);
  // Requests that were sent before the last fall or probe say nothing about the service now.
  if (report.epoch < before.epoch) return { state: sampled, pauseMs: 0 };
  const state = report.isAnswered ? answered(sampled) : sampled;
  if (report.failure) return failed(state, report.failure, counts);
  if (report.isRefused) return refused(state, report, counts);
  return { state, pauseMs: 0 };
}

/** Records the number of successes, and the time in which requests were sent at the full rate. */
function sample(state: FleetState, counts: Counts): FleetState {
  const { nowMs, accepted } = counts;
  const last = state.samples.at(-1);
  const sinceLastMs = last ? nowMs - last[0] : sampleMs;
  if (sinceLastMs < sampleMs) return state;
  const samples = [
    ...state.samples.filter(([atMs]) => atMs > nowMs - 2 * recentMs),
    [nowMs, accepted] as const,
  ];
  const isAtFullRate = recentRate({ ...state, samples }, counts) + slackRate >= fullRate * rateOf(state);
  return {
    ...state,
    samples,
    sendingMs: state.sendingMs + (isAtFullRate ? Math.min(sinceLastMs, recentMs) : 0),
  };
}

function answered(known: FleetState): FleetState {
  const { refusedSinceMs, failing, ...state } = known;
  const isNews = refusedSinceMs !== undefined || failing !== undefined || known.holdMs > 0;
  return isNews ? { ...state, holdMs: 0 } : known;
}

function refused(
  state: FleetState,
  { retryAfterMs }: FleetReport,
  counts: Counts,
): { readonly state: FleetState; readonly pauseMs: number } {
  const { nowMs, passed, accepted } = counts;
  const isGuess = state.ceiling === undefined || passed === state.passedAtFall || !isMeasured(state, nowMs);
  const ceiling = Math.max(slowestRate, ceilingAt(state, counts));
  const firstHoldMs = Math.max(shortestHoldMs, Math.round((requestsPerHold * 1000) / ceiling));
  const holdMs = Math.min(longestHoldMs, Math.max(firstHoldMs, state.holdMs * 2));
  const pauseMs = retryAfterMs ?? holdMs;
  const forRefusalMs = (requestsPerRefusal * 1000) / ceiling;
  const climbMs = Math.min(longestClimbMs, Math.max(shortestClimbMs, climbPerPause * pauseMs, forRefusalMs));
  return {
    state: {
      ...state,
      ...{ ceiling, holdMs, passedAtFall: passed, sendingMs: 0, epoch: state.epoch + 1 },
      // The rate is measured after the pause.
      samples: [[nowMs + pauseMs, accepted] as const],
      climbMs: isGuess ? 0 : climbMs,
      refusedSinceMs: state.refusedSinceMs ?? nowMs,
    },
    pauseMs,
  };
}

/** Returns the limit that a refusal indicates. */
function ceilingAt(state: FleetState, counts: Counts): number {
  const recent = recentRate(state, counts);
  // Some of the requests in flight will be refused, too.
  if (state.ceiling === undefined) return recent * firstGuess;
  // The service refuses everything, which says nothing about its normal limit.
  if (counts.passed === state.passedAtFall) return state.ceiling;
  const rate = rateOf(state);
  if (!isMeasured(state, counts.nowMs)) return rate * (state.climbMs === 0 ? guessFall : soonFall);
  // BullMQ starts slightly fewer jobs than its limit allows, so the measured rate is too low.
  return Math.min(rate, Math.max(deepestFall * rate, recent * measuredLow));
}

/** Whether enough time has passed since the last fall. */
function isMeasured({ samples }: FleetState, nowMs: number): boolean {
  return nowMs - (samples[0]?.[0] ?? nowMs) >= measureMs;
}

/** Returns the number of accepted requests per second in the last two seconds. */
function recentRate({ samples }: FleetState, { nowMs, accepted }: Counts): number {
  const isOld = ([atMs]: readonly [number, number]) => atMs <= nowMs - recentMs;
  const [atMs, before] = samples.findLast(isOld) ?? samples[0] ?? [nowMs, 0];
  const durationMs = Math.min(recentMs + sampleMs, Math.max(shortestMeasureMs, nowMs - atMs));
  return ((accepted - before) * 1000) / durationMs;
}

function failed(
  state: FleetState,
  { jobId, how, message }: FleetFailure,
  { nowMs, passed }: Counts,
): { readonly state: FleetState; readonly pauseMs: number } {
  const isOver = state.failing?.probeMs === undefined && passed > (state.failing?.passed ?? passed);
  const known = isOver ? undefined : state.failing;
  const jobs = [...new Set([...(known?.jobs ?? []), jobId])].slice(0, enoughJobs);
  const failing = { sinceMs: nowMs, passed, ...known, jobs, message };
  const isOn = known?.probeMs !== undefined || how === "unreached" || jobs.length >= enoughJobs;
  if (!isOn) return { state: { ...state, failing }, pauseMs: 0 };
  const probeMs = Math.min(longestProbeMs, known?.probeMs === undefined ? firstProbeMs : known.probeMs * 2);
  return { state: { ...state, epoch: state.epoch + 1, failing: { ...failing, probeMs } }, pauseMs: probeMs };
}

/** One of ten windows a second. BullMQ counts the jobs that start in a window. */
const windowMs = 100;

/** BullMQ obeys a pause only if the queue has a limit. */
const noLimit = { max: 1_000_000_000, duration: 1000 };

/**
 * Returns BullMQ's limit for a state.
 *
 * @param perSecond - the limit that the user set, or `Infinity`
 */
export function limitFor(
  state: FleetState,
  perSecond: number,
): { readonly max: number; readonly duration: number } {
  const { probeMs } = state.failing ?? {};
  if (probeMs !== undefined) return { max: 1, duration: probeMs };
  const rate = Math.min(rateOf(state), perSecond);
  if (!Number.isFinite(rate)) return noLimit;
  const max = Math.max(1, Math.floor((rate * windowMs) / 1000));
  return { max, duration: Math.max(1, Math.round((max * 1000) / rate)) };
}
