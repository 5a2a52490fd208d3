import { randomBytes } from "node:crypto";

/** What `startEmulator` takes. */
export interface EmulatorOptions {
  /** The folder of the templates: a path, relative to the working directory, or a `file:` URL. */
  readonly templates: string | URL;
  /** The port to listen on, 0 to 65535; 0 takes a free one. Default: 0. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: `127.0.0.1`, which no other machine can reach. */
  readonly host?: string | undefined;
  /** The keys that may call, one or more, of visible ASCII characters. Default: one random key. */
  readonly apiKeys?: readonly string[] | undefined;
  /**
   * Gets what a template threw, or why its definition could not be laid out; the caller sees a bare 500 with the same
   * request id. Default: prints it to standard error.
   */
  readonly onError?: ((error: unknown, request: Request, requestId: string) => void) | undefined;
}

/** The options with every default filled in. */
export interface ResolvedOptions {
  readonly templates: string | URL;
  readonly port: number;
  readonly host: string;
  readonly apiKeys: readonly [string, ...string[]];
  readonly onError: (error: unknown, request: Request, requestId: string) => void;
}

const knownOptions = ["templates", "port", "host", "apiKeys", "onError"];

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {TypeError} when an option is unknown, missing, or of the wrong type.
 * @throws {RangeError} when the port is out of range.
 */
export function resolveEmulatorOptions(options: EmulatorOptions): ResolvedOptions {
  if (typeof options !== "object" || options === null) {
    throw new TypeError('Expected an object of options, such as { templates: "templates" }.');
  }
  const unknown = Object.keys(options).find((name) => !knownOptions.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`Unknown option \`${unknown}\`. The emulator knows: ${knownOptions.join(", ")}.`);
  }
  const { templates, port = 0, host = "127.0.0.1", onError = printError } = options;
  if (!(templates instanceof URL) && (typeof templates !== "string" || templates === "")) {
    throw new TypeError("Expected `templates` to be a folder: a path or a file URL.");
  }
  if (templates instanceof URL && templates.protocol !== "file:") {
    throw new TypeError(`Expected \`templates\` to be a file URL, got one with ${templates.protocol}`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError(`Expected \`port\` to be an integer from 0 to 65535, got ${String(port)}.`);
  }
  if (typeof host !== "string" || host === "") {
    throw new TypeError("Expected `host` to be an address or a name, such as 127.0.0.1.");
  }
  if (typeof onError !== "function") throw new TypeError("Expected `onError` to be a function.");
  return { templates, port, host, apiKeys: resolveKeys(options.apiKeys), onError };
}

function resolveKeys(apiKeys: EmulatorOptions["apiKeys"]): readonly [string, ...string[]] {
  if (apiKeys === undefined) return [`emulator_${randomBytes(24).toString("base64url")}`];
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
