import { describeThrown } from "../errors/foreign-values.ts";
import { TemplatePdfError } from "../index.ts";
import { inspected, printable } from "./output.ts";
import type { Session } from "./terminal.ts";

/** Maps options and properties in client messages to the terms of the command line. */
const terminalNames: Names = {
  acceptUnsealed: "--accept-unsealed",
  allowInsecureHttp: "--allow-insecure-http",
  apiKey: "the API key",
  baseUrl: "the base URL",
  body: "the error's `body`, which programs can read",
  fresh: "--fresh",
  notBefore: "--not-before",
  sealKey: "TEMPLATE_PDF_QUEUE_KEY",
  "timeouts.connect": "a fixed limit",
  "timeouts.stall": "a fixed limit",
  "timeouts.total": "--timeout",
};

type Names = Readonly<Record<string, string>>;

/** Prints an error to standard error on one line, and its details with `--debug`. */
export function report(error: unknown, { terminal, isDebug }: Session): void {
  const { stderr } = terminal;
  // Only a list of invalid templates, rows or files takes several lines.
  for (const line of lineOf(error).split("\n")) stderr.write(`template-pdf: ${printable(line)}\n`);
  if (isDebug) stderr.write(`${inspected(error)}\n`);
}

/** Replaces names in backticks, with or without a value as in `name: true`, with the terms of the command line. */
export function inWordsOfTerminal(message: string, names: Names = terminalNames): string {
  return message.replace(/`([\w.]+)(?:: true)?`/g, (quoted, name: string) =>
    Object.hasOwn(names, name) ? (names[name] ?? quoted) : quoted,
  );
}

/** Returns an error message with the terms of the command line. */
export function lineOf(error: unknown): string {
  if (!TemplatePdfError.is(error)) return describeThrown(error);
  const line = inWordsOfTerminal(error.message);
  return error.requestId === undefined ? line : `${line} Request id: ${error.requestId}.`;
}
