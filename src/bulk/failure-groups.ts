import { describeThrown, isInstance, readForeignText, safeString } from "../errors/foreign-values.ts";
import { describeKind } from "../errors/value-kinds.ts";
import { SaveError, TemplatePdfError } from "../index.ts";

/** Failures of the same kind. */
export interface FailureGroup {
  /**
   * The `code` of the error, for example `"bad_request"`. If the error is not from this package, this is the
   * name of the error.
   */
  readonly code: string;
  /** The message from the first failure. */
  readonly message: string;
  /** The number of jobs. */
  count: number;
  /** The indexes of the first ten jobs. */
  readonly indexes: number[];
}

/** The maximum number of groups. Further kinds share one group. */
const maxGroups = 50;
const maxIndexes = 10;

/** Groups failures by kind, in bounded memory. */
export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>();

  /** @param index - the index of the job, if it is known */
  add(error: unknown, index: number | undefined): void {
    const { code, message } = kindOfFailure(error);
    // Numbers are ignored, because they often differ within a kind: positions, sizes, times.
    const name = `${code} ${withoutPath(message, error).replace(/\d+/g, "0")}`;
    const isKnown = this.#groups.has(name) || this.#groups.size < maxGroups;
    const id = isKnown ? name : others.code;
    const group = this.#groups.get(id) ?? {
      ...(isKnown ? { code, message } : others),
      count: 0,
      indexes: [],
    };
    this.#groups.set(id, group);
    group.count++;
    if (index !== undefined && group.indexes.length < maxIndexes) group.indexes.push(index);
  }

  /** Returns all groups, most frequent first. */
  get all(): FailureGroup[] {
    return [...this.#groups.values()].sort((one, other) => other.count - one.count);
  }
}

const others = { code: "others", message: "Other failures." };

/** Removes the paths, which differ for each file with the same failure. */
function withoutPath(message: string, error: unknown): string {
  if (!SaveError.is(error)) return message;
  const { path, draft = path } = error;
  return [path, draft].reduce((text, one) => text.replaceAll(JSON.stringify(one), ""), message);
}

/** Returns the code and the message of a failure, as in a `FailureGroup`. */
export function kindOfFailure(error: unknown): { readonly code: string; readonly message: string } {
  if (TemplatePdfError.is(error)) return error;
  if (isInstance(error, Error)) {
    return { code: readForeignText(error, "name") ?? "Error", message: describeThrown(error) };
  }
  // Objects are described by their kind.
  const message = typeof error === "object" ? describeKind(error) : safeString(error);
  return { code: "unknown", message };
}
