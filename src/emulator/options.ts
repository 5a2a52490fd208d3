import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { longestTimerMs } from "../runtime/environment.ts";
import { isHostName, isLoopbackHost } from "../service/allowed-hosts.ts";
import { defaultMaxBodyBytes } from "../service/endpoint.ts";
import type { Call } from "./reporting.ts";

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
  /**
   * Whether the playground is served: a page at `/` that shows templates, values, documents and requests. It needs a `host` that only
   * this machine can reach, because the page holds an API key. Default: `true` on such a host, else `false`.
   */
  readonly ui?: boolean | undefined;
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
  "templates port host allowedHosts apiKeys images fonts ui limits faults latency onCall onError".split(" ");
const knownLimits = "maxBodyBytes requestMs renderMs threads".split(" ");

/** Checks the options and fills in the defaults; `faults` and `latency` are read by whoever plays them. */
export function resolveEmulatorOptions(options: EmulatorOptions) {
  if (typeof options !== "object" || options === null) {
    throw new TypeError('Expected an object of options, such as { templates: "templates" }.');
  }
  refuseUnknown(options, knownOptions, "The emulator knows");
  const {
    templates,
    images,
    fonts,
    port = 0,
    host = "127.0.0.1",
    allowedHosts,
    apiKeys,
    limits = {},
  } = options;
  const { faults, latency, onCall = () => {}, onError = printError } = options;
  expect(typeof host === "string" && host !== "", "host", "an address or a name, such as 127.0.0.1");
  const { ui = isLoopbackHost(host) } = options;
  expect(typeof ui === "boolean", "ui", "true or false");
  expect(!ui || isLoopbackHost(host), "ui", "false, unless `host` is a loopback address such as 127.0.0.1");
  expect(typeof onCall === "function", "onCall", "a function");
  expect(typeof onError === "function", "onError", "a function");
  return {
    templates: toFolder(templates, "templates"),
    images: images === undefined ? undefined : toFolder(images, "images"),
    fonts: fonts === undefined ? undefined : toFolder(fonts, "fonts"),
    port: toInteger(port, "port", 0, 65_535),
    host,
    allowedHosts: allowedHosts === undefined ? undefined : toHosts(allowedHosts),
    apiKeys: resolveKeys(apiKeys),
    ui,
    limits: resolveLimits(limits),
    faults,
    latency,
    onCall,
    onError,
  };
}

function resolveLimits(limits: EmulatorLimits) {
  expect(typeof limits === "object", "limits", "an object of numbers");
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

function expect(isRight: boolean, name: string, words: string): void {
  if (!isRight) throw new TypeError(`Expected \`${name}\` to be ${words}.`);
}

function refuseUnknown(options: object, known: readonly string[], knows: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown option \`${unknown}\`. ${knows}: ${known.join(", ")}.`);
  }
}

function toInteger(value: number, name: string, lowest: number, highest: number): number {
  if (Number.isInteger(value) && value >= lowest && value <= highest) return value;
  throw new RangeError(
    `Expected \`${name}\` to be an integer from ${lowest} to ${highest}, got ${String(value)}.`,
  );
}

function toFolder(folder: string | URL, name: string): string {
  const isFile = folder instanceof URL && folder.protocol === "file:";
  expect(isFile || (typeof folder === "string" && folder !== ""), name, "a folder: a path or a file URL");
  // Without the slash at the end that a URL of a folder has.
  return resolve(isFile || String(folder).startsWith("file:") ? fileURLToPath(folder) : String(folder));
}

function toHosts(names: readonly string[]): readonly string[] {
  expect(Array.isArray(names), "allowedHosts", "an array of host names");
  const wrong = names.find((name) => typeof name !== "string" || !isHostName(name));
  if (wrong === undefined) return [...names];
  throw new TypeError(
    `Expected \`allowedHosts\` to hold host names such as "pdf.test", without a scheme, a port or a path, got ${JSON.stringify(wrong)}.`,
  );
}

function resolveKeys(apiKeys: EmulatorOptions["apiKeys"]): readonly [string, ...string[]] {
  // No word in it: what is sent is taken out of every error, also out of what the emulator says of itself.
  const [first, ...others] = apiKeys ?? [`dev_${randomBytes(24).toString("base64url")}`];
  // A lone string is iterable, too, and would quietly turn into keys of one letter.
  if (first !== undefined && typeof apiKeys !== "string") return [first, ...others];
  throw new TypeError(
    "Expected `apiKeys` to be an array of strings with at least one key. Leave it out to get a random one.",
  );
}

function printError(error: unknown, request: Request, requestId: string): void {
  const path = new URL(request.url).pathname;
  console.error(`template-pdf emulator: ${request.method} ${path} failed (x-request-id ${requestId})`, error);
}
