import type { JsonPath } from "../../json/json-value.ts";
import type { ValueIssue } from "../../service/invalid-values.ts";

/** How many are told: that of a million lines all are wrong, a thousand show as well. */
const maxIssues = 1_000;

const maxKeyLength = 60;

const maxKeys = 20;

/** What is wrong with the values, each thing once. */
export class IssueList {
  readonly #found = new Map<string, ValueIssue>();

  /** With paths that were cut where they are very long. */
  get all(): readonly ValueIssue[] {
    return [...this.#found.values()].map((issue) => ({ ...issue, path: shortened(issue.path) }));
  }

  get isFull(): boolean {
    return this.#found.size >= maxIssues;
  }

  /** Whether something is wrong at a place, or deeper in it. */
  hasWithin(place: JsonPath): boolean {
    return [...this.#found.values()].some(({ path }) => place.every((key, index) => path[index] === key));
  }

  add(issue: ValueIssue): void {
    const key = JSON.stringify([issue.path, issue.message]);
    if (!this.isFull && !this.#found.has(key)) this.#found.set(key, issue);
  }
}

/** A path names members of the values, which may be of any length and depth; its two ends are enough. */
function shortened(path: JsonPath): JsonPath {
  const ends = path.length > maxKeys ? [...path.slice(0, 10), "…", ...path.slice(-5)] : path;
  return ends.map((key) =>
    typeof key === "string" && key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key,
  );
}
