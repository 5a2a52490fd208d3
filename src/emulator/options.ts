import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { longestTimerMs } from "../runtime/environment.ts";
import { isHostName } from "../service/allowed-hosts.ts";
import { defaultMaxBodyBytes } from "../service/endpoint.ts";

/** One call that was answered, for a log. It holds no key and no value; `detail` may name members of the values. */
export interface Call {
  /** The method of the request. */
  readonly method: string;
  /** The path as it came, percent-encoded. */
  readonly path: string;
  /** The template asked for, where the path names one. */
  readonly uid: string | undefined;
  /** The status of the answer; 0 where there was none: the connection was dropped on purpose, or the caller left. */
  readonly status: number;
  /** How large the document is, in bytes; 0 where none was sent whole. */
  readonly bytes: number;
  /** From the request's head to the answer's, in milliseconds. */
  readonly durationMs: number;
  /** What a refusal said, or the fault that was asked for. */
  readonly detail: string | undefined;
  /** The `x-request-id` of the answer. */
  readonly requestId: string | undefined;
}

/** The bounds of an emulator. */
export interface EmulatorLimits {
  /** The most a request body may measure, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * How long a request may take to arrive, in milliseconds, from its connection to the end of its body; one that takes longer is
   * answered with 408 and its connection is closed. Headers have 10,000 at most. Default: 30,000.
   */
  readonly requestMs?: number | undefined;
  /** How long one document may take to render, in milliseconds; one that takes longer is a 500. Default: 60,000. */
  readonly renderMs?: number | undefined;
  /** How many documents are rendered at a time, each in a thread of its own. Default: one for each core, at most 4. */
  readonly threads?: number | undefined;
}

/** What `startEmulator` takes. */
export interface EmulatorOptions {
  /** The folder of the templates: a path, relative to the working directory, or a `file:` URL. */
  readonly templates: string | URL;
  /** The port to listen on, 0 to 65535; 0 takes a free one. Default: 0. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: `127.0.0.1`, which no other machine can reach. */
  readonly host?: string | undefined;
  /**
   * Host names by which callers may call the emulator, such as `pdf.test`, in addition to `localhost` and `host`. Default: none if
   * `host` is a loopback address, else any name.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The keys that may call, one or more, of visible ASCII characters. Default: one random key. */
  readonly apiKeys?: readonly string[] | undefined;
  /** The folder whose pictures templates may show by their names. Default: none; then only `data:` URLs. */
  readonly images?: string | URL | undefined;
  /**
   * The folder whose fonts templates may use beside Roboto: `Inter-Bold.ttf` is the font `Inter` in bold.
   * Default: none.
   */
  readonly fonts?: string | URL | undefined;
  /** What is bounded. Default: see `EmulatorLimits`. */
  readonly limits?: EmulatorLimits | undefined;
  /** What goes wrong on purpose, such as `429 every 10`: one rule or several. Default: nothing. */
  readonly faults?: string | readonly string[] | undefined;
  /** How long every call waits before its document is begun, in milliseconds, or a range such as `200..800`. Default: 0. */
  readonly latency?: number | string | undefined;
  /** Gets every call once it is answered. Default: nothing. */
  readonly onCall?: ((call: Call) => void) | undefined;
  /**
   * Gets why a document could not be made, with the file and the line of its template; the caller sees a bare 500 with
   * the same request id. Default: prints it to standard error.
   */
  readonly onError?: ((error: unknown, request: Request, requestId: string) => void) | undefined;
}

const knownOptions =
  "templates port host allowedHosts apiKeys images fonts limits faults latency onCall onError".split(" ");
const knownLimits = "maxBodyBytes requestMs renderMs threads".split(" ");

/** Checks the options and fills in the defaults; `faults` and `latency` are read by whoever plays them. */
export function resolveEmulatorOptions(options: EmulatorOptions) {
  if (typeof options !== "object" || options === null) {
    throw new TypeError('Expected an object of options, such as { templates: "templates" }.');
  }
  refuseUnknown(options, knownOptions, "The emulator knows");
  const { host = "127.0.0.1", onCall = () => {}, onError = printError, faults, latency } = options;
  if (typeof host !== "string" || host === "") {
    throw new TypeError("Expected `host` to be an address or a name, such as 127.0.0.1.");
  }
  if (typeof onCall !== "function") throw new TypeError("Expected `onCall` to be a function.");
  if (typeof onError !== "function") throw new TypeError("Expected `onError` to be a function.");
  return {
    templates: toFolder(options.templates, "templates"),
    images: options.images === undefined ? undefined : toFolder(options.images, "images"),
    fonts: options.fonts === undefined ? undefined : toFolder(options.fonts, "fonts"),
    port: toInteger(options.port ?? 0, "port", 0, 65_535),
    host,
    allowedHosts: checkHosts(options.allowedHosts),
    apiKeys: resolveKeys(options.apiKeys),
    limits: resolveLimits(options.limits ?? {}),
    faults,
    latency,
    onCall,
    onError,
  };
}

function resolveLimits(limits: EmulatorLimits) {
  if (typeof limits !== "object") throw new TypeError("Expected `limits` to be an object of numbers.");
  refuseUnknown(limits, knownLimits, "`limits` knows");
  const { maxBodyBytes = defaultMaxBodyBytes, requestMs = 30_000, renderMs = 60_000 } = limits;
  const { threads = Math.min(availableParallelism(), 4) } = limits;
  return {
    maxBodyBytes: toInteger(maxBodyBytes, "limits.maxBodyBytes", 1, Number.MAX_SAFE_INTEGER),
    requestMs: toInteger(requestMs, "limits.requestMs", 1, longestTimerMs),
    renderMs: toInteger(renderMs, "limits.renderMs", 1, longestTimerMs),
    threads: toInteger(threads, "limits.threads", 1, 64),
  };
}

function refuseUnknown(options: object, known: readonly string[], knows: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown option \`${unknown}\`. ${knows}: ${known.join(", ")}.`);
  }
}

function toInteger(value: number, name: string, lowest: number, highest: number): number {
  if (!Number.isInteger(value) || value < lowest || value > highest) {
    throw new RangeError(
      `Expected \`${name}\` to be an integer from ${lowest} to ${highest}, got ${String(value)}.`,
    );
  }
  return value;
}

function toFolder(folder: string | URL, name: string): string {
  if (folder instanceof URL && folder.protocol !== "file:") {
    throw new TypeError(`Expected \`${name}\` to be a file URL, got one with ${folder.protocol}`);
  }
  if (!(folder instanceof URL) && (typeof folder !== "string" || folder === "")) {
    throw new TypeError(`Expected \`${name}\` to be a folder: a path or a file URL.`);
  }
  const isUrl = folder instanceof URL || folder.startsWith("file:");
  // Without the slash at the end that a URL of a folder has.
  return resolve(isUrl ? fileURLToPath(folder) : folder);
}

function checkHosts(allowedHosts: EmulatorOptions["allowedHosts"]): EmulatorOptions["allowedHosts"] {
  if (allowedHosts === undefined) return undefined;
  if (!Array.isArray(allowedHosts))
    throw new TypeError("Expected `allowedHosts` to be an array of host names.");
  for (const name of allowedHosts as readonly unknown[]) {
    if (typeof name !== "string" || !isHostName(name)) {
      const found = typeof name === "string" ? JSON.stringify(name) : `a value of type ${typeof name}`;
      throw new TypeError(
        `Expected \`allowedHosts\` to hold host names such as "pdf.test", without a scheme, a port or a path, got ${found}.`,
      );
    }
  }
  return [...allowedHosts];
}

function resolveKeys(apiKeys: EmulatorOptions["apiKeys"]): readonly [string, ...string[]] {
  // No word in it: what is sent is taken out of every error, also out of what the emulator says of itself.
  if (apiKeys === undefined) return [`dev_${randomBytes(24).toString("base64url")}`];
  // A lone string is iterable, too, and would quietly turn into keys of one letter.
  if (!Array.isArray(apiKeys)) throw new TypeError("Expected `apiKeys` to be an array of strings.");
  const [first, ...others] = apiKeys as readonly string[];
  if (first === undefined) {
    throw new TypeError("Expected `apiKeys` to hold at least one key. Leave it out to get a random one.");
  }
  return [first, ...others];
}

function printError(error: unknown, request: Request, requestId: string): void {
  const path = new URL(request.url).pathname;
  console.error(`template-pdf emulator: ${request.method} ${path} failed (x-request-id ${requestId})`, error);
}
