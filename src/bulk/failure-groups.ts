import { describeKind } from "../errors/value-kinds.ts";
import { SaveError, TemplatePdfError } from "../index.ts";

/** Failures of the same kind. */
export interface FailureGroup {
  /** The error's `code`, such as `"bad_request"`; its name where it is none of this package. */
  readonly code: string;
  /** What the first of them says. */
  readonly message: string;
  /** How many jobs failed so. */
  count: number;
  /** The indexes of the first ten of their jobs. */
  readonly indexes: number[];
}

/** How many kinds are told apart; what comes after them is one kind. */
const maxGroups = 50;
const maxIndexes = 10;

/** Sorts failures by what went wrong, in bounded memory. */
export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>();

  add(error: unknown, index: number): void {
    const { code, message } = kindOfFailure(error);
    // Numbers differ where nothing else does: places, sizes, times.
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
    if (group.indexes.length < maxIndexes) group.indexes.push(index);
  }

  /** All of them, the most frequent first. */
  get all(): FailureGroup[] {
    return [...this.#groups.values()].sort((one, other) => other.count - one.count);
  }
}

const others = { code: "others", message: "Other failures, of more kinds than are told apart." };

/** Of many files that cannot be stored for one reason, each has a path of its own. */
function withoutPath(message: string, error: unknown): string {
  return SaveError.is(error) ? message.replaceAll(JSON.stringify(error.path), "") : message;
}

/** Names what went wrong, as a `FailureGroup` does. */
export function kindOfFailure(error: unknown): { readonly code: string; readonly message: string } {
  if (TemplatePdfError.is(error)) return error;
  if (error instanceof Error) return { code: error.name, message: error.message };
  // What has no text is told by its kind.
  const message = typeof error === "object" ? describeKind(error) : String(error);
  return { code: "unknown", message };
}
