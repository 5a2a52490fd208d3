import { ApiError, ConfigurationError, ConnectionError } from "../../index.ts";

/** A failure that every other row would meet, too. */
export interface SystematicFailure {
  /** What they all have: `with this API key`. */
  readonly withWhat: string;
  /** What to do first. */
  readonly fix: string;
  /** After how many failures that was clear. */
  readonly failureCount: number;
}

/** The counts of a run when one of its rows fails. */
interface RunCounts {
  /** How many documents it has stored. */
  readonly stored: number;
  /** How many documents earlier runs have finished. */
  readonly finishedBefore: number;
}

/** A row of its own may be forbidden, or name what is not there: so many of them are no accident. */
const enough = 5;

/** A service that is started again, or a network that comes back, does not take so many rows with all their tries. */
const enoughUnanswered = 20;

/** Detects failures that every other row would meet, too. */
export class SystematicFailures {
  readonly #counts = new Map<keyof typeof kinds, number>();

  /** Counts a failure; returns it if every row that is left would fail in the same way. */
  add(error: unknown, { stored, finishedBefore }: RunCounts): SystematicFailure | undefined {
    const kind = failureKindOf(error);
    if (kind === undefined || stored > 0) return undefined;
    const failureCount = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, failureCount);
    const { isOfRows, clearAfter, ...told } = kinds[kind];
    // What earlier runs have finished proves that the uid and the base URL are right; a key may have come to its end since.
    if (isOfRows && finishedBefore > 0) return undefined;
    const most = finishedBefore > 0 ? Math.max(clearAfter, enough) : clearAfter;
    return failureCount >= most ? { ...told, failureCount } : undefined;
  }
}

const kinds = {
  401: { isOfRows: false, clearAfter: 1, withWhat: "with this API key", fix: "Mend the API key" },
  403: {
    isOfRows: true,
    clearAfter: enough,
    withWhat: "with this API key",
    fix: "Mend the API key, or its rights,",
  },
  404: {
    isOfRows: true,
    clearAfter: enough,
    withWhat: "with this uid and base URL",
    fix: "Mend the uid or the base URL",
  },
  settings: { isOfRows: false, clearAfter: 1, withWhat: "with these settings", fix: "Mend the settings" },
  unanswered: {
    isOfRows: false,
    clearAfter: enoughUnanswered,
    withWhat: "while nothing answers at this base URL",
    fix: "See that the service can be reached, or mend the base URL,",
  },
} as const;

function failureKindOf(error: unknown): keyof typeof kinds | undefined {
  if (ConfigurationError.is(error)) return "settings";
  if (ConnectionError.is(error)) return "unanswered";
  const status = ApiError.is(error) ? error.status : undefined;
  return status === 401 || status === 403 || status === 404 ? status : undefined;
}
