import { Redactor } from "../redact.ts";

/**
 * Takes the values of a call out of a text that is meant for a log, word by word.
 *
 * @param text - such as the message of an error that a template threw
 * @param values - the values of the call
 * @returns at most 500 characters of the text, on one line
 */
export function withoutValues(text: string, values: unknown): string {
  return new Redactor(undefined, JSON.stringify(values) ?? "null").quote(text, 500);
}
