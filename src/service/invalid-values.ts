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

/** The maximum number of issues in the message. `errors` contains all of them. */
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
  const errors = issues.map(({ path, message, place }) => ({
    path: formatJsonPath(path),
    detail: place === undefined ? message : `${message} (${place})`,
  }));
  const listed = errors
    .slice(0, maxListed)
    .map(({ path, detail }) => (path === "" ? detail : `${path}${separator}${detail}`));
  if (errors.length > maxListed) listed.push(`and ${errors.length - maxListed} more`);
  const who = checkedBy === undefined ? "" : ` (${checkedBy})`;
  const detail = `The values do not match the template ${JSON.stringify(uid)}${who}: ${listed.join("; ")}.`;
  return new Problem(422, detail, { kind: "invalid-values", errors, ...cause });
}
