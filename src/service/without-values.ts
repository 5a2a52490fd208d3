import { Redactor } from "../errors/redact.ts";

/**
 * Creates a function that redacts the values of one call in log messages.
 *
 * @param values - the values of the call
 * @returns a function that returns at most 500 characters of a string, on one line
 */
export function withoutValues(values: unknown): (text: string) => string {
  const redactor = new Redactor(undefined, JSON.stringify(values) ?? "null");
  return (text) => redactor.quote(text, 500);
}
