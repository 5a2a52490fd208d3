import type { JsonPath } from "../../json/json-value.ts";
import type { ValueIssue } from "../../service/invalid-values.ts";

/** The maximum number of issues. */
const maxIssues = 1_000;

const maxKeyLength = 60;

const maxKeys = 20;

/** The issues with the values, without duplicates. */
export class IssueList {
  readonly #found = new Map<string, ValueIssue>();

  /** The issues, with shortened paths. */
  get all(): readonly ValueIssue[] {
    return [...this.#found.values()].map((issue) => ({ ...issue, path: shortened(issue.path) }));
  }

  get isFull(): boolean {
    return this.#found.size >= maxIssues;
  }

  /** Whether there is an issue at a path or below it. */
  hasWithin(place: JsonPath): boolean {
    return [...this.#found.values()].some(({ path }) => place.every((key, index) => path[index] === key));
  }

  add(issue: ValueIssue): void {
    const key = JSON.stringify([issue.path, issue.message]);
    if (!this.isFull && !this.#found.has(key)) this.#found.set(key, issue);
  }
}

/** Shortens a path, which may be of any length and depth, to its two ends. */
function shortened(path: JsonPath): JsonPath {
  const ends = path.length > maxKeys ? [...path.slice(0, 10), "…", ...path.slice(-5)] : path;
  return ends.map((key) =>
    typeof key === "string" && key.length > maxKeyLength ? `${key.slice(0, maxKeyLength)}…` : key,
  );
}
