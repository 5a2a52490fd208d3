import { resolve } from "node:path";
import { type PendingPdf, type Progress, TemplatePdf, TimeoutError } from "../index.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import { Failure, Misuse } from "./failure.ts";
import { readValues } from "./input-values.ts";
import { canRedraw, showLive } from "./live-line.ts";
import { openerOf, openFile } from "./open-file.ts";
import { formatSize, isStdout, printable, write } from "./output.ts";
import { pdfNameOf } from "./output-file.ts";
import { readServiceSettings } from "./service-settings.ts";
import type { Output, Session } from "./terminal.ts";

/** Command-line options for `generate`. */
export interface GenerateFlags {
  readonly values?: string;
  readonly set?: readonly string[];
  readonly output?: string;
  readonly open?: boolean;
  readonly baseUrl?: string;
  readonly timeout: string;
  readonly retry: boolean;
  readonly allowInsecureHttp?: boolean;
}

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/**
 * Generates one document, and saves it or writes it to standard output.
 *
 * @throws {Misuse} if the command line or the values are invalid; nothing was sent
 * @throws {Failure} if the document does not arrive in time, or cannot be opened
 * @throws any error that the client throws, or the abort reason of the session's signal
 */
export async function generate(uid: string, flags: GenerateFlags, session: Session): Promise<void> {
  const { terminal, signal } = session;
  const { stdin, stdout, stderr, env, platform } = terminal;
  checkFlags(flags, stdout);
  const limitMs = parseDuration(flags.timeout, "--timeout");
  const settings = await readServiceSettings(flags.baseUrl, terminal);
  const { allowInsecureHttp } = flags;
  // Rendering may use the whole time.
  const timeouts = { firstByte: Number.POSITIVE_INFINITY, total: limitMs };
  const retry = flags.retry ? {} : false;
  let activity = "waiting for the service";
  const hooks = {
    retry() {
      activity = "retrying";
    },
  };
  const onProgress = (progress: Progress) => {
    activity = formatProgress(progress);
  };
  const client = new TemplatePdf({ ...settings, allowInsecureHttp, timeouts, retry, hooks });
  const source = { file: flags.values, pairs: flags.set ?? [] };
  const values = await untilAborted(readValues(source, stdin), signal);
  const path = flags.output ?? pdfNameOf(uid);

  const startedAtMs = performance.now();
  let frame = 0;
  const progressLine = (maxColumns: number) => {
    // The seconds advance even if nothing else does, so the user sees that the command is alive.
    const seconds = Math.floor((performance.now() - startedAtMs) / 1000);
    const line = `${frames[frame++ % frames.length]} ${printable(uid)}: ${activity}, ${seconds} s`;
    return [...line].slice(0, maxColumns).join("");
  };
  const live = canRedraw(stderr, env) ? showLive(stderr, env, progressLine) : undefined;
  let bytes: number | undefined;
  try {
    const pdf = client.generate(uid, values, { signal, onProgress });
    if (isStdout(path)) await writeOut(pdf, stdout, signal);
    else bytes = (await pdf.saveTo(path, { recursive: false })).bytes;
  } catch (error) {
    throw TimeoutError.is(error) && error.phase === "total"
      ? timeoutFailure(settings.baseUrl, limitMs)
      : error;
  } finally {
    live?.stop();
    // Not awaited: the process exits and closes every connection.
    client.close().catch(() => {});
  }
  if (bytes !== undefined) stdout.write(`${printable(path)}: ${formatSize(bytes)}\n`);
  if (flags.open) await openFile(openerOf(platform, resolve(path), env), path);
}

function checkFlags({ output, open }: GenerateFlags, stdout: Output): void {
  if (output === undefined || !isStdout(output)) return;
  if (open)
    throw new Misuse(
      "--open needs a file, but -o - writes to standard output. Give -o a file name, or leave out --open.",
    );
  if (stdout.isTTY) {
    throw new Misuse(
      "A terminal cannot show a PDF. Pipe it to a program, for example -o - | lpr, or give -o a file name.",
    );
  }
}

function timeoutFailure(baseUrl: string, limitMs: number): Failure {
  const what = `The service at ${new URL(baseUrl).origin} did not return a complete document within ${formatDuration(limitMs)}.`;
  return new Failure(
    `${what} Try again, or allow more time, for example --timeout ${Math.ceil(limitMs / 500)}s.`,
  );
}

function formatProgress({ receivedBytes, totalBytes }: Progress): string {
  const total = totalBytes === undefined ? "so far" : `of ${formatSize(totalBytes)}`;
  return `${formatSize(receivedBytes)} ${total}`;
}

async function writeOut(pdf: PendingPdf, stdout: Output, signal: AbortSignal): Promise<void> {
  for await (const chunk of pdf) await write(stdout, chunk, signal);
}
