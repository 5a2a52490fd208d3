import type { JsonPath } from "../json/json-value.ts";
import { formatJsonPath } from "../request/values.ts";
import { Problem } from "./problem.ts";

/** One thing that is wrong with the values of a call. */
export interface ValueIssue {
  readonly path: JsonPath;
  readonly message: string;
  /** Where the template asks for it. */
  readonly place?: string | undefined;
}

/** What the refusal may carry in addition to its issues. */
interface InvalidValuesOptions {
  /** Who says so, such as the file of the template. Default: nobody who is anybody's business. */
  readonly checkedBy?: string;
  /** Stands between a place and its message. Default: a space. */
  readonly separator?: string;
  /** See `ProblemOptions`. */
  readonly cause?: unknown;
}

/** How many things that are wrong with the values are told in one line; `errors` tells them all. */
const maxListed = 10;

/**
 * Builds the refusal for values that a template cannot take (422), for `produce` to throw.
 *
 * @param issues - what is wrong: places and rules, never a value
 */
export function invalidValues(
  uid: string,
  issues: readonly ValueIssue[],
  options: InvalidValuesOptions = {},
): Problem {
  const { checkedBy, separator = " ", ...cause } = options;
  const errors = issues.map(({ path, message, place }) => ({
    path: formatJsonPath(path),
    detail: place === undefined ? message : `${message} (${place})`,
  }));
  const listed = errors
    .slice(0, maxListed)
    .map(({ path, detail }) => (path === "" ? detail : `${path}${separator}${detail}`));
  if (errors.length > maxListed) listed.push(`and ${errors.length - maxListed} more`);
  const who = checkedBy === undefined ? "" : ` (${checkedBy})`;
  const detail = `The values do not fit the template ${JSON.stringify(uid)}${who}: ${listed.join("; ")}.`;
  return new Problem(422, detail, { kind: "invalid-values", errors, ...cause });
}
