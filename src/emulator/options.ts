import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ownOptions } from "../runtime/own-options.ts";
import { longestTimerMs } from "../runtime/timers.ts";
import { isHostName, isLoopbackHost } from "../service/allowed-hosts.ts";
import { defaultMaxBodyBytes } from "../service/endpoint.ts";
import { defaultMaxNodes } from "./renderer/definition-size.ts";
import type { Call } from "./reporting.ts";

/** Limits for an emulator. */
export interface EmulatorLimits {
  /** The maximum size of a request body in bytes. Default: 1,048,576 (1 MiB). */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The timeout in milliseconds for receiving a request, from connecting to the end of the body. A slower request receives a 408,
   * and its connection is closed. The headers must arrive within 10,000 ms. Default: 30,000.
   */
  readonly requestMs?: number | undefined;
  /** The timeout in milliseconds for rendering one document. If it is exceeded, the emulator responds with 500. Default: 60,000. */
  readonly renderMs?: number | undefined;
  /**
   * The maximum number of nodes in one document: its elements, such as table cells, and its words. If a call exceeds it, the emulator
   * responds with 422. A node takes about 4 kB of memory. Default: 50,000.
   */
  readonly maxNodes?: number | undefined;
  /** The number of rendering threads. Default: one per core, from 2 to 4. With one, a template that never ends keeps the others waiting. */
  readonly threads?: number | undefined;
}

/** Options for `startEmulator`. */
export interface EmulatorOptions {
  /** The folder with the templates: a path relative to the working directory, or a `file:` URL. */
  readonly templates: string | URL;
  /** The port to listen on, 0 to 65535; 0 selects a free one. Default: 0. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: `127.0.0.1`, which other machines cannot reach. */
  readonly host?: string | undefined;
  /**
   * Host names that the emulator accepts, such as `pdf.test`, in addition to `localhost` and `host`. Default: none if `host` is a
   * loopback address, otherwise any name.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The accepted API keys: at least one, consisting of visible ASCII characters. Default: one random key. */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * A folder with images that templates can use by file name. Without it, templates can use only `data:`
   * URLs. Default: none.
   */
  readonly images?: string | URL | undefined;
  /**
   * A folder with fonts to use in addition to Roboto. The file name sets the family and the style:
   * `Inter-Bold.ttf` is the bold style of `Inter`. Default: none.
   */
  readonly fonts?: string | URL | undefined;
  /**
   * Whether to serve the playground, a page at `/` that shows templates, values, documents and requests. The
   * playground requires a loopback `host`, because the page contains an API key. Default: `true` on a
   * loopback host, otherwise `false`.
   */
  readonly ui?: boolean | undefined;
  /**
   * Whether to refuse a document that does not show all its text and pictures with 422, for example because they do not fit on a
   * page, or because its fonts lack a character. Otherwise, `detail` of `onCall` contains a warning. Default: `false`.
   */
  readonly strict?: boolean | undefined;
  /** The limits. Default: see `EmulatorLimits`. */
  readonly limits?: EmulatorLimits | undefined;
  /** Faults to simulate, such as `429 every 10`: one rule or several. Default: none. */
  readonly faults?: string | readonly string[] | undefined;
  /** The delay before each document in milliseconds, or a range such as `200..800`. Default: 0. */
  readonly latency?: number | string | undefined;
  /** Called for every call after its response. Default: nothing. */
  readonly onCall?: ((call: Call) => void) | undefined;
  /**
   * Called if a document cannot be generated. The error contains the reason, and the file and line in the
   * template. The caller receives a 500 with the same request id, and with the reason only if it is on the
   * same machine. Default: prints to standard error.
   */
  readonly onError?: ((error: unknown, request: Request, requestId: string) => void) | undefined;
}

const knownOptions =
  "templates port host allowedHosts apiKeys images fonts ui strict limits faults latency onCall onError".split(
    " ",
  ) as (keyof EmulatorOptions)[];
const knownLimits = "maxBodyBytes requestMs renderMs maxNodes threads".split(" ") as (keyof EmulatorLimits)[];

/** Checks the options and fills in the defaults, except for `faults` and `latency`. */
export function resolveEmulatorOptions(given: EmulatorOptions) {
  if (typeof given !== "object" || given === null) {
    throw new TypeError('Expected an options object, such as { templates: "templates" }.');
  }
  const options = known(given, knownOptions, "Known options");
  const {
    templates,
    images,
    fonts,
    port = 0,
    host = "127.0.0.1",
    allowedHosts,
    apiKeys,
    strict = false,
    limits = {},
  } = options;
  const { faults, latency, onCall = () => {}, onError = printError } = options;
  expect(typeof host === "string" && host !== "", "host", "an address or a name, such as 127.0.0.1");
  const { ui = isLoopbackHost(host) } = options;
  expect(typeof ui === "boolean", "ui", "true or false");
  expect(!ui || isLoopbackHost(host), "ui", "false, unless `host` is a loopback address such as 127.0.0.1");
  expect(typeof strict === "boolean", "strict", "true or false");
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
    strict,
    limits: resolveLimits(limits),
    faults,
    latency,
    onCall,
    onError,
  };
}

function resolveLimits(given: EmulatorLimits) {
  expect(typeof given === "object" && given !== null, "limits", "an object with numbers");
  const limits = known(given, knownLimits, "`limits` knows");
  const { maxBodyBytes = defaultMaxBodyBytes, requestMs = 30_000, renderMs = 60_000 } = limits;
  const { maxNodes = defaultMaxNodes, threads = Math.min(Math.max(availableParallelism(), 2), 4) } = limits;
  return {
    maxBodyBytes: toInteger(maxBodyBytes, "limits.maxBodyBytes", 1, Number.MAX_SAFE_INTEGER),
    requestMs: toInteger(requestMs, "limits.requestMs", 1, longestTimerMs),
    renderMs: toInteger(renderMs, "limits.renderMs", 1, longestTimerMs),
    maxNodes: toInteger(maxNodes, "limits.maxNodes", 1, Number.MAX_SAFE_INTEGER),
    threads: toInteger(threads, "limits.threads", 1, 64),
  };
}

function expect(isRight: boolean, name: string, words: string): void {
  if (!isRight) throw new TypeError(`Expected \`${name}\` to be ${words}.`);
}

/** Refuses unknown options, and returns a copy of the known ones. */
function known<O extends object>(options: O, names: readonly (keyof O & string)[], knows: string): O {
  const unknown = Object.keys(options).find((name) => !(names as readonly string[]).includes(name));
  if (unknown === undefined) return ownOptions(options, names);
  throw new TypeError(`Unknown option \`${unknown}\`. ${knows}: ${names.join(", ")}.`);
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
  // Removes the trailing slash of a folder URL.
  return resolve(isFile || String(folder).startsWith("file:") ? fileURLToPath(folder) : String(folder));
}

function toHosts(names: readonly string[]): readonly string[] {
  expect(Array.isArray(names), "allowedHosts", "an array of host names");
  const wrong = names.find((name) => typeof name !== "string" || !isHostName(name));
  if (wrong === undefined) return [...names];
  throw new TypeError(
    `Expected \`allowedHosts\` to contain host names such as "pdf.test", without a scheme, a port or a path, got ${JSON.stringify(wrong)}.`,
  );
}

function resolveKeys(apiKeys: EmulatorOptions["apiKeys"]): readonly [string, ...string[]] {
  // Not a word, because the key is redacted from every error, including those of the emulator.
  const [first, ...others] = apiKeys ?? [`dev_${randomBytes(24).toString("base64url")}`];
  // A string is also iterable, and would become one-letter keys.
  if (first !== undefined && typeof apiKeys !== "string") return [first, ...others];
  throw new TypeError(
    "Expected `apiKeys` to be an array of strings with at least one key. Omit it to get a random key.",
  );
}

function printError(error: unknown, request: Request, requestId: string): void {
  const path = new URL(request.url).pathname;
  console.error(`template-pdf emulator: ${request.method} ${path} failed (x-request-id ${requestId})`, error);
}
