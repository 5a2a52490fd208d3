import { ApiError, ConfigurationError } from "../index.ts";

/** A failure that affects all jobs. */
export interface SystematicFailure {
  /** What the jobs have in common: `with this API key`. */
  readonly withWhat: string;
  /** What to do first. */
  readonly fix: string;
  /** What the messages have in common, as a clause. Default: none. */
  readonly common?: string;
}

/** The counts of a run when a job fails. */
interface RunCounts {
  /** The number of documents that the run has stored. */
  readonly stored: number;
  /** The number of documents that earlier runs finished. */
  readonly finishedBefore: number;
}

/** A single job may be forbidden or use a missing template. If this many fail in a row, all jobs are affected. */
const enough = 5;

/** If this many jobs are refused and no job before them succeeded, all jobs are affected. */
const enoughRefused = 20;

/** Detects failures that affect all jobs. */
export class SystematicFailures {
  readonly #counts = new Map<keyof typeof kinds, number>();
  #failureCount = 0;
  /** The service's messages for 422 responses. The map keys omit numbers. */
  readonly #refusals = new Map<string, string>();

  /** Counts a failure. Returns it if all remaining jobs would fail in the same way. */
  add(error: unknown, { stored, finishedBefore }: RunCounts): SystematicFailure | undefined {
    this.#failureCount++;
    const kind = failureKindOf(error);
    if (ApiError.is(error) && kind === 422) {
      const detail = error.detail ?? "";
      this.#refusals.set(detail.replace(/\d+/g, "0"), detail);
    }
    if (kind === undefined || stored > 0) return undefined;
    const failureCount = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, failureCount);
    const { isOfJobs, clearAfter, ...told } = kinds[kind];
    // Documents of earlier runs prove that the uid and the base URL are correct. The key may have expired since.
    if (isOfJobs && finishedBefore > 0) return undefined;
    if (kind === 422)
      return failureCount === this.#failureCount ? this.#allRefused(failureCount, told) : undefined;
    const most = finishedBefore > 0 ? Math.max(clearAfter, enough) : clearAfter;
    return failureCount >= most ? told : undefined;
  }

  /**
   * Returns what affected all jobs of a run that has ended, even if it had too few jobs for `add`. Values are not included, because
   * few jobs may all be wrong.
   */
  atEnd({ stored, finishedBefore }: RunCounts): SystematicFailure | undefined {
    const [[kind, count] = [], ...others] = this.#counts;
    if (kind === undefined || kind === 422 || others.length > 0 || stored > 0) return undefined;
    if (count !== this.#failureCount || (kinds[kind].isOfJobs && finishedBefore > 0)) return undefined;
    return kinds[kind];
  }

  #allRefused(count: number, told: SystematicFailure): SystematicFailure | undefined {
    if (count < enoughRefused) return undefined;
    const [detail, ...others] = this.#refusals.values();
    const reasons = others.length === 0 ? "" : `, for ${others.length + 1} different reasons`;
    const quoted = detail && others.length === 0 ? `, saying ${JSON.stringify(detail)}` : reasons;
    return { ...told, common: `the service rejected all of them with 422${quoted}` };
  }
}

/**
 * Returns the kind of a failure that may affect all jobs with the same uid or values, and how many such failures
 * without a success prove it.
 */
export function systematicFailureOf(
  error: unknown,
): { readonly kind: string; readonly enough: number } | undefined {
  const kind = failureKindOf(error);
  return kind !== undefined && kinds[kind].isOfJobs
    ? { kind: String(kind), enough: kinds[kind].clearAfter }
    : undefined;
}

const kinds = {
  401: { isOfJobs: false, clearAfter: 1, withWhat: "with this API key", fix: "Fix the API key" },
  403: {
    isOfJobs: true,
    clearAfter: enough,
    withWhat: "with this API key",
    fix: "Fix the API key or its permissions",
  },
  404: {
    isOfJobs: true,
    clearAfter: enough,
    withWhat: "with this uid and base URL",
    fix: "Fix the uid or the base URL",
  },
  422: {
    isOfJobs: true,
    clearAfter: enoughRefused,
    withWhat: "with values of this kind",
    fix: "Fix the values or the template",
  },
  settings: { isOfJobs: false, clearAfter: 1, withWhat: "with these settings", fix: "Fix the settings" },
} as const;

function failureKindOf(error: unknown): keyof typeof kinds | undefined {
  if (ConfigurationError.is(error)) return "settings";
  const status = ApiError.is(error) ? error.status : undefined;
  return status === 401 || status === 403 || status === 404 || status === 422 ? status : undefined;
}
