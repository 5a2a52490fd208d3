import type { ValuesIssue } from "../../../index.ts";

/** What our own words for a JSON Schema say of a type that is not that of a text. */
const ofOtherType =
  /^must be (?:one of )?(?:a number|a whole number|true\b|false\b|null\b|an array|an object|-?\d)[^"]*$/;

/** Adds to what is wrong with a row of texts that its cells are texts, where that is the reason. */
export function aboutTexts(issue: ValuesIssue, values: Record<string, unknown>): ValuesIssue {
  const [name] = issue.path;
  const isText = name !== undefined && issue.path.length === 1 && typeof values[name] === "string";
  if (!isText || !ofOtherType.test(issue.message)) return issue;
  return {
    path: issue.path,
    message: `${issue.message}, and every cell of CSV is a text: let the schema take a string, or write the data as NDJSON`,
  };
}
