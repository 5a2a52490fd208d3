import { once } from "node:events";
import { join } from "node:path";
import { createFirstTemplate } from "../emulator/first-template.ts";
import type { Call, Emulator, FoundTemplate } from "../emulator/index.ts";
import { startForUser } from "../emulator/start.ts";
import { describeThrown, isInstance, readForeign } from "../errors/foreign-values.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import { formatDuration } from "./duration.ts";
import { Failure, Misuse } from "./failure.ts";
import { openerOf, openFile } from "./open-file.ts";
import { escapeUnprintable, formatSize, inspected, printable } from "./output.ts";
import { pdfNameOf } from "./output-file.ts";
import { quotedWord } from "./quoted-word.ts";
import { inWordsOfTerminal } from "./report.ts";
import type { Session } from "./terminal.ts";

/** Command-line options for `emulate`. */
export interface EmulateFlags {
  readonly port: string;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly key?: readonly string[];
  readonly images?: string;
  readonly fonts?: string;
  readonly fault?: readonly string[];
  readonly latency?: string;
  readonly strict?: boolean;
  readonly ui?: boolean;
  readonly open?: boolean;
  readonly init?: boolean;
}

/** Maps the emulator's option names to the flags of the command. */
const flagNames: Readonly<Record<string, string>> = {
  port: "--port",
  host: "--host",
  allowedHosts: "--allow-host",
  apiKeys: "--key",
  images: "--images",
  fonts: "--fonts",
  faults: "--fault",
  latency: "--latency",
  templates: "the folder",
};

/**
 * Runs the emulator until the user stops it, and prints one line for each request.
 *
 * @throws {Misuse} if an option, the folder or a template is invalid
 * @throws {Failure} if the emulator cannot listen, pdfmake is missing, or calls had to be interrupted at the
 * end
 */
export async function emulate(folder: string, flags: EmulateFlags, session: Session): Promise<void> {
  const { signal, terminal } = session;
  const { stdout } = terminal;
  if (flags.init) await createTemplate(folder, session);
  const emulator = await untilAborted(start(folder, flags, session), signal);
  stdout.write(introduction(emulator, folder));
  if (flags.open) await openPlayground(emulator, session);
  await once(signal, "abort");
  stdout.write("stopping\n");
  await emulator.close();
}

/** Creates the first template, unless there is one with the same uid. */
async function createTemplate(folder: string, { terminal }: Session): Promise<void> {
  try {
    const { existing } = await createFirstTemplate(folder);
    const path = printable(join(folder, existing ?? "invoice.json"));
    terminal.stdout.write(
      existing === undefined ? `Created ${path}\n` : `Kept ${path}, which exists already\n`,
    );
  } catch (error) {
    throw new Misuse(`--init cannot create a template in ${folder}: ${describeThrown(error)}`, {
      cause: error,
    });
  }
}

/** Opens the playground; a failure is only reported, and the server keeps running. */
async function openPlayground({ playgroundUrl }: Emulator, { terminal }: Session): Promise<void> {
  const { platform, env, stderr } = terminal;
  if (playgroundUrl === undefined) return;
  await openFile(openerOf(platform, playgroundUrl, env), playgroundUrl, "Open it yourself.").catch(
    ({ message }: Error) => stderr.write(`template-pdf: ${printable(message)}\n`),
  );
}

async function start(folder: string, flags: EmulateFlags, { terminal, isDebug }: Session): Promise<Emulator> {
  const { stdout, stderr } = terminal;
  const port = parsePort(flags.port);
  if (flags.open && flags.ui === false) {
    throw new Misuse("--open opens the playground, but --no-ui disables it. Leave out one of them.");
  }
  try {
    return await startForUser({
      templates: folder,
      port,
      host: flags.host,
      allowedHosts: flags.allowHost,
      apiKeys: flags.key,
      images: flags.images,
      fonts: flags.fonts,
      faults: flags.fault,
      latency: flags.latency,
      strict: flags.strict,
      // If it is not set, the default depends on the host.
      ...(flags.ui === false && { ui: false }),
      onCall: (call) => stdout.write(`${formatCall(call, new Date())}\n`),
      onError: (error, _request, requestId) => {
        stderr.write(`${formatError(error, requestId, new Date())}\n`);
        if (isDebug) stderr.write(`${inspected(error)}\n`);
      },
    });
  } catch (error) {
    throw startFailure(error);
  }
}

/** Parses a port. @throws {Misuse} if it is not a port */
export function parsePort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Misuse(`--port must be a number from 0 to 65535, but got ${JSON.stringify(text)}.`);
}

/** Returns a Failure for a problem with the machine, and a Misuse for a problem with the command line or a template. */
export function startFailure(error: unknown): Failure {
  const syscall = readForeign(readForeign(error, "cause"), "syscall");
  const cannotListen = syscall === "listen" || syscall === "getaddrinfo";
  const isPdfmakeMissing = readForeign(error, "code") === "pdfmake_missing";
  const isOptionError = isInstance(error, TypeError) || isInstance(error, RangeError);
  const message = describeThrown(error);
  // Messages about templates keep their backticks.
  const text = cannotListen || isOptionError ? inWordsOfTerminal(message, flagNames) : message;
  const Kind = cannotListen || isPdfmakeMissing ? Failure : Misuse;
  return new Kind(text, { cause: error });
}

function introduction(emulator: Emulator, folder: string): string {
  const { baseUrl, apiKey, playgroundUrl, templates } = emulator;
  const uids = templates.map(({ uid }) => printable(uid));
  const width = Math.max(...uids.map((uid) => uid.length));
  const files = templates.map(
    ({ file }, index) => `  ${uids[index]?.padEnd(width)}  ${printable(join(folder, file))}`,
  );
  const [simplest] = [...templates].sort((one, other) => sampleLength(one) - sampleLength(other));
  return [
    `Base URL    ${baseUrl}`,
    `API key     ${printable(apiKey)}`,
    ...(playgroundUrl === undefined ? [] : [`Playground  ${playgroundUrl}`]),
    "Templates",
    ...(files.length > 0
      ? files
      : [`  none yet in ${printable(folder)}; to create invoice.json, open the playground or use --init`]),
    ...(simplest ? ["", curlLine(emulator, simplest), "", sdkLine(emulator, simplest)] : []),
    "",
    "Ctrl-C stops the emulator.",
    "",
  ].join("\n");
}

/** The number of values that a template needs. Zero usually means that its values are unknown. */
function sampleLength({ sample }: FoundTemplate): number {
  return Object.keys(sample).length === 0 ? Number.MAX_SAFE_INTEGER : JSON.stringify(sample).length;
}

/** Returns a curl command that generates a document, ready to paste into a POSIX shell. */
function curlLine({ baseUrl, apiKey }: Emulator, { uid, sample }: FoundTemplate): string {
  const url = `${baseUrl}/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`;
  return [
    `curl -sS --fail-with-body -o ${quotedWord(pdfNameOf(uid), "posix")}`,
    `-H ${quotedWord(escapeUnprintable(`Authorization: API-Key ${apiKey}`), "posix")}`,
    "-H 'Content-Type: application/json'",
    `-d ${quotedWord(jsonOf(sample), "posix")}`,
    quotedWord(url, "posix"),
  ].join(" ");
}

/** Returns a line of JavaScript that generates a document. */
function sdkLine({ baseUrl, apiKey }: Emulator, { uid, sample }: FoundTemplate): string {
  const options = `{ baseUrl: ${jsonOf(baseUrl)}, apiKey: ${jsonOf(apiKey)} }`;
  const call = `generate(${jsonOf(uid)}, ${jsonOf(sample)})`;
  return `await new TemplatePdf(${options}).${call}.saveTo(${jsonOf(pdfNameOf(uid))});`;
}

/** Returns JSON without control characters. */
function jsonOf(value: unknown): string {
  return escapeUnprintable(JSON.stringify(value));
}

/** Formats one call as a line; `time` is when the response ended. */
function formatCall(call: Call, time: Date): string {
  const { method, uid, path, status, bytes, durationMs, detail, requestId } = call;
  return formatLine(time, [
    method,
    uid ?? path,
    status === 0 ? "no answer" : String(status),
    bytes > 0 ? formatSize(bytes) : "-",
    formatDuration(durationMs),
    detail,
    // Error responses tell the reader to quote the request id.
    status >= 500 && requestId !== undefined ? `x-request-id ${requestId}` : undefined,
  ]);
}

/** Formats a rendering error as a line. The line of its call has the same request id. */
function formatError(error: unknown, requestId: string, time: Date): string {
  const text = describeThrown(error);
  return formatLine(time, [text, `x-request-id ${requestId}`]);
}

function formatLine(time: Date, facts: readonly (string | undefined)[]): string {
  const known = facts.filter((fact) => fact !== undefined);
  return printable([time.toTimeString().slice(0, 8), ...known].join("  "));
}
