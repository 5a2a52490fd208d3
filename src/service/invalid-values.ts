import type { JsonPath } from "../json/json-value.ts";
import { formatJsonPath } from "../request/serialize-values.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { Problem } from "./problem.ts";

/** An issue with the values in a call. */
export interface ValueIssue {
  readonly path: JsonPath;
  readonly message: string;
  /** The position in the template that uses the value. */
  readonly place?: string | undefined;
}

/** Options for the 422 response. */
interface InvalidValuesOptions {
  /** The source of the issues, such as the template file. Default: none. */
  readonly checkedBy?: string;
  /** The text between a place and its message. Default: a space. */
  readonly separator?: string;
  /** See `ProblemOptions`. */
  readonly cause?: unknown;
}

/** The maximum number of issues in a message. `errors` contains all of them. */
const maxListed = 10;

/**
 * Creates the refusal for invalid values (422), for `produce` to throw.
 *
 * @param issues - the issues: paths and rules, never values
 */
export function invalidValues(
  uid: string,
  issues: readonly ValueIssue[],
  options: InvalidValuesOptions = {},
): Problem {
  const { checkedBy, separator = " ", ...cause } = withoutPrototype(options);
  const errors = issues.map((issue) => ({ path: formatJsonPath(issue.path), detail: detailOf(issue) }));
  const who = checkedBy === undefined ? "" : ` (${checkedBy})`;
  const detail = `The values do not match the template ${JSON.stringify(uid)}${who}: ${listIssues(issues, separator)}.`;
  return new Problem(422, detail, { kind: "invalid-values", errors, ...cause });
}

/** Lists issues on one line: the first ten, and the number of the others. */
export function listIssues(issues: readonly ValueIssue[], separator = " "): string {
  const listed = issues.slice(0, maxListed).map((issue) => formatIssue(issue, separator));
  if (issues.length > maxListed) listed.push(`and ${issues.length - maxListed} more`);
  return listed.join("; ");
}

export function formatIssue(issue: ValueIssue, separator = " "): string {
  const path = formatJsonPath(issue.path);
  return path === "" ? detailOf(issue) : `${path}${separator}${detailOf(issue)}`;
}

function detailOf({ message, place }: ValueIssue): string {
  return place === undefined ? message : `${message} (${place})`;
}
