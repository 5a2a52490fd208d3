import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { resolve } from "node:path";
import { Writable } from "node:stream";
import { version } from "../../package.json";
import { readForeignText } from "../errors/foreign-values.ts";
import type { TemplatePdf } from "../index.ts";
import type { EmulatedTemplates, ServerParts } from "../mcp/index.ts";
import { parseCount } from "./bulk/plan.ts";
import { parseDuration } from "./duration.ts";
import { parsePort, startFailure } from "./emulate.ts";
import { Failure, Misuse } from "./failure.ts";
import { divertStdout } from "./load-module.ts";
import { FileTemplates } from "./mcp/file-templates.ts";
import { printable } from "./output.ts";
import { lineOf } from "./report.ts";
import { openClient } from "./service-client.ts";
import { readServiceSettings } from "./service-settings.ts";
import type { Session, Terminal } from "./terminal.ts";

/** Command-line options for `mcp`. */
export interface McpFlags {
  readonly templates?: readonly string[];
  readonly emulate?: string;
  readonly images?: string;
  readonly fonts?: string;
  readonly anyTemplate?: boolean;
  readonly out?: string;
  readonly force?: boolean;
  readonly preview?: boolean;
  readonly limit?: string;
  readonly port?: string;
  readonly baseUrl?: string;
  readonly timeout?: string;
  readonly retry: boolean;
  readonly allowInsecureHttp?: boolean;
}

type Mcp = typeof import("../mcp/index.ts");

const tokenName = "TEMPLATE_PDF_MCP_TOKEN";

/**
 * Runs a server for the Model Context Protocol: over standard input and output until the input ends, or over HTTP until the
 * user stops it.
 *
 * @throws {Misuse} if an option, a file or the template folder is invalid
 * @throws {Failure} if a package is missing, or the port is not available
 */
export function mcp(flags: McpFlags, session: Session): Promise<void> {
  const { stdout } = session.terminal;
  const output = outputTo(stdout.write.bind(stdout));
  // Templates and other modules of the user may print, but standard output is for the protocol.
  return divertStdout(() => serve(flags, session, output));
}

async function serve(flags: McpFlags, session: Session, stdout: Writable): Promise<void> {
  checkFlags(flags);
  const { terminal, signal } = session;
  const limit = flags.limit === undefined ? defaultLimit : parseCount(flags.limit, "--limit");
  const port = flags.port === undefined ? undefined : parsePort(flags.port);
  const token = terminal.env[tokenName] || randomBytes(24).toString("base64url");
  const { Documents, EmulatedTemplates, createServer, serveHttp, serveStdio } = await loadMcp();
  const emulated =
    flags.emulate === undefined
      ? undefined
      : await EmulatedTemplates.start({
          templates: flags.emulate,
          images: flags.images,
          fonts: flags.fonts,
        }).catch(rethrow);
  const source = emulated ?? (await FileTemplates.open(flags.templates ?? [], session));
  const client = clientFor(flags, emulated, terminal);
  const documents = new Documents({
    openClient: client.open,
    out: resolve(flags.out ?? defaultOut),
    isReplacing: flags.force ?? false,
    hasPreview: flags.preview ?? false,
    limit,
    remarkOn: emulated && ((requestId) => emulated.remarkOn(requestId)),
  });
  const parts: ServerParts = {
    version,
    documents,
    source,
    emulated,
    allowsAny: flags.anyTemplate ?? false,
    isReplacing: flags.force ?? false,
    describe: (error) => printable(lineOf(error)),
  };
  try {
    if (port === undefined) {
      await serveStdio(createServer(parts), { stdin: terminal.stdin, stdout }, signal);
    } else {
      const http = await serveHttp(() => createServer(parts), { port, token }).catch(rethrow);
      terminal.stderr.write(`URL    ${http.url}\n`);
      if (!terminal.env[tokenName]) terminal.stderr.write(`Token  ${token}\n`);
      if (!signal.aborted) await once(signal, "abort");
      await http.close();
    }
  } finally {
    await documents.settled();
    client.close();
    await source.close();
  }
}

/** The maximum number of documents, unless the user sets it. */
const defaultLimit = 1_000;

const defaultOut = "pdfs";

function checkFlags({ templates, emulate, anyTemplate, baseUrl, images, fonts }: McpFlags): void {
  if (emulate !== undefined && templates !== undefined) {
    throw new Misuse("--emulate already offers the templates in its folder. Leave out --templates.");
  }
  if (emulate !== undefined && baseUrl !== undefined) {
    throw new Misuse("--emulate replaces the service at --base-url. Leave out one of them.");
  }
  if (emulate === undefined && (images !== undefined || fonts !== undefined)) {
    throw new Misuse("--images and --fonts are for the emulator. Add --emulate <folder>, or leave them out.");
  }
  if (emulate === undefined && templates === undefined && !anyTemplate) {
    throw new Misuse(
      "The server would have no tools. Pass --templates with samples or schemas, --emulate with a template folder, or --any-template.",
    );
  }
}

function rethrow(error: unknown): never {
  throw startFailure(error);
}

async function loadMcp(): Promise<Mcp> {
  try {
    return await import("../mcp/index.ts");
  } catch (cause) {
    if (readForeignText(cause, "code") !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Failure(
      "The mcp command needs @modelcontextprotocol/sdk, which is not installed. Run npm install @modelcontextprotocol/sdk.",
      { cause },
    );
  }
}

/** Opens the client for the first document, so that a missing key is the error of a call, which the assistant can show. */
function clientFor(flags: McpFlags, emulated: EmulatedTemplates | undefined, terminal: Terminal) {
  const timeoutMs = parseDuration(flags.timeout ?? "600s", "--timeout");
  let opening: Promise<TemplatePdf> | undefined;
  const start = async () => {
    const settings = emulated?.emulator ?? (await readServiceSettings(flags.baseUrl, terminal));
    const { baseUrl, apiKey } = settings;
    const client = openClient({ baseUrl, apiKey }, timeoutMs, flags);
    return flags.retry ? client : client.with({ retry: false });
  };
  return {
    open(): Promise<TemplatePdf> {
      opening ??= start().catch((error: unknown): never => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    // Not awaited: the process exits and closes every connection.
    close: () => void opening?.then((client) => client.close()).catch(() => {}),
  };
}

function outputTo(write: (chunk: Buffer, done: (error?: Error | null) => void) => boolean): Writable {
  // The session handles a broken standard output.
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void write(chunk, () => done()) });
}
