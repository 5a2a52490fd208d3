import { TemplatePdfError } from "../index.ts";
import { inspected, printable } from "./output.ts";
import type { Session } from "./terminal.ts";

/** What the client says to somebody who writes JavaScript, and the same for somebody at a terminal. */
const translations: readonly (readonly [ofCode: RegExp, ofTerminal: string])[] = [
  [/set `allowInsecureHttp: true`/g, "give --allow-insecure-http"],
  [/; `body` on this error is the service's whole answer/g, ""],
  [/ See `body` on this error for what the service said\./g, " Ask whoever runs it what that means."],
  [/`baseUrl`/g, "the base URL"],
  [/`apiKey`/g, "the API key"],
  [/, `timeouts\.(?:connect|stall)`/g, ""],
  [/`timeouts\.total`/g, "--timeout"],
  [/with `fresh`/g, "with --fresh"],
];

/** Prints an error to standard error on one line, and everything that is known of it with `--debug`. */
export function report(error: unknown, { terminal, isDebug }: Session): void {
  const { stderr } = terminal;
  // One line for each template that is broken; for everything else, one line.
  for (const line of lineOf(error).split("\n")) stderr.write(`template-pdf: ${printable(line)}\n`);
  if (isDebug) stderr.write(`${inspected(error)}\n`);
}

/** Puts what the client says into the words of a terminal. */
export function inWordsOfTerminal(message: string): string {
  return translations.reduce((text, [code, words]) => text.replace(code, words), message);
}

/** What an error says, in the words of a terminal. */
export function lineOf(error: unknown): string {
  if (!TemplatePdfError.is(error)) return error instanceof Error ? error.message : String(error);
  const line = inWordsOfTerminal(error.message);
  return error.requestId === undefined ? line : `${line} Request id: ${error.requestId}.`;
}
