import { resolve } from "node:path";
import { type CallOptions, type Hooks, TemplatePdf, TimeoutError } from "../index.ts";
import { formatDuration, parseDuration } from "./duration.ts";
import { Failure, Misuse } from "./failure.ts";
import { readValues } from "./input-values.ts";
import { openerOf, openFile } from "./open-file.ts";
import { formatSize, isStdout, printable, write } from "./output.ts";
import { pdfNameOf } from "./output-file.ts";
import { type Progress, showProgress } from "./progress.ts";
import { type GivenKeys, readServiceSettings, refuseKeys } from "./service-settings.ts";
import { untilAborted } from "./session.ts";
import type { Output, Session } from "./terminal.ts";

/** What the command line of `generate` says, beside the uid. */
export interface GenerateFlags extends GivenKeys {
  readonly values?: string;
  readonly set?: readonly string[];
  readonly output?: string;
  readonly open?: boolean;
  readonly baseUrl?: string;
  readonly timeout: string;
  readonly retry: boolean;
  readonly allowInsecureHttp?: boolean;
}

/** One document to request. */
interface DocumentRequest {
  readonly client: TemplatePdf;
  readonly uid: string;
  readonly values: Record<string, unknown>;
  /** Aborted when the document is no longer wanted. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * Generates one document, and saves it or writes it to standard output.
 *
 * @throws {Misuse} when the command line or the values are wrong; nothing was sent
 * @throws {Failure} when the document does not come in time, or cannot be opened
 * @throws what the client throws, or the reason of the session's signal
 */
export async function generate(uid: string, flags: GenerateFlags, session: Session): Promise<void> {
  const { terminal } = session;
  const { stdin, stdout, stderr, env, platform } = terminal;
  checkFlags(flags, stdout);
  const limitMs = parseDuration(flags.timeout, "--timeout");
  const settings = await readServiceSettings(flags.baseUrl, terminal);
  const { allowInsecureHttp } = flags;
  // The service may take all of that time for rendering.
  const timeouts = { firstByte: Number.POSITIVE_INFINITY, total: limitMs };
  const retry = flags.retry ? {} : false;
  let progress: Progress | undefined;
  const hooks: Hooks = { retry: () => progress?.waits() };
  const client = new TemplatePdf({ ...settings, allowInsecureHttp, timeouts, retry, hooks });
  const source = { file: flags.values, pairs: flags.set ?? [] };
  const values = await untilAborted(readValues(source, stdin), session.signal);
  const path = flags.output ?? pdfNameOf(uid);

  progress = showProgress(stderr, uid, env);
  const request: DocumentRequest = { client, uid, values, signal: session.signal, progress };
  let bytes: number | undefined;
  try {
    if (isStdout(path)) await writeOut(request, stdout);
    else bytes = (await client.generate(uid, values, optionsOf(request)).saveTo(path)).bytes;
  } catch (error) {
    throw TimeoutError.is(error) && error.phase === "total" ? tooLate(settings.baseUrl, limitMs) : error;
  } finally {
    progress.stop();
    // Not awaited: the process ends, and every connection with it.
    client.close().catch(() => {});
  }
  if (bytes !== undefined) stdout.write(`${printable(path)}: ${formatSize(bytes)}\n`);
  if (flags.open) await openFile(openerOf(platform, resolve(path), env), path);
}

function checkFlags({ output, open, ...keys }: GenerateFlags, stdout: Output): void {
  refuseKeys(keys);
  if (output === undefined || !isStdout(output)) return;
  if (open)
    throw new Misuse("--open opens a file, and -o - writes none. Give -o a file name, or leave --open out.");
  if (stdout.isTTY) {
    throw new Misuse("A terminal cannot show a PDF. Send it on, as in -o - | lpr, or give -o a file name.");
  }
}

function tooLate(baseUrl: string, limitMs: number): Failure {
  const what = `The service at ${new URL(baseUrl).origin} gave no whole document within ${formatDuration(limitMs)}.`;
  return new Failure(
    `${what} Try again, or allow it more time, as in --timeout ${Math.ceil(limitMs / 500)}s.`,
  );
}

function optionsOf({ signal, progress }: DocumentRequest): CallOptions {
  return { signal, onProgress: progress.receives };
}

async function writeOut(request: DocumentRequest, stdout: Output): Promise<void> {
  const { client, uid, values, signal } = request;
  for await (const chunk of client.generate(uid, values, optionsOf(request))) {
    await write(stdout, chunk, signal);
  }
}
