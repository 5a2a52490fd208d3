import { Redactor } from "../errors/redact.ts";

/**
 * Makes the function that takes the values of one call out of texts that are meant for a log, word by word.
 *
 * @param values - the values of the call
 * @returns gives at most 500 characters of a text, on one line
 */
export function withoutValues(values: unknown): (text: string) => string {
  const redactor = new Redactor(undefined, JSON.stringify(values) ?? "null");
  return (text) => redactor.quote(text, 500);
}
