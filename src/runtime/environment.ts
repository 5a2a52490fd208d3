/**
 * The single reader of `process.env`, and of what runtime this is.
 *
 * Everything here is guarded: in a page there is no `process`, and Deno throws when the permission to
 * read the environment was not given.
 */

interface Surroundings {
  readonly process?: {
    readonly env?: Record<string, string | undefined>;
    readonly versions?: { readonly node?: string };
    readonly type?: string;
  };
  readonly Deno?: unknown;
  readonly Bun?: unknown;
  readonly EdgeRuntime?: unknown;
  readonly WebSocketPair?: unknown;
  readonly document?: { readonly baseURI?: string };
  readonly WorkerGlobalScope?: unknown;
  readonly location?: { readonly href?: string; readonly origin?: string };
}

const surroundings = globalThis as Surroundings;

/** Reads one environment variable; `undefined` where it is not set, or may not be read. */
export function readEnvironment(name: string): string | undefined {
  try {
    return surroundings.process?.env?.[name];
  } catch {
    return undefined;
  }
}

/**
 * Whether this code runs where its user can read every secret it holds: a page, a web worker, or the
 * renderer of Electron and its workers. A server-side runtime that imitates the DOM (jsdom under Node) is not a page.
 */
export function isPage(): boolean {
  const { process, Deno, Bun, EdgeRuntime, WebSocketPair } = surroundings;
  if (Deno || Bun || EdgeRuntime || WebSocketPair) return false;
  const inElectron = process?.type === "renderer" || process?.type === "worker";
  if (process?.versions?.node && !inElectron) return false;
  return surroundings.document !== undefined || surroundings.WorkerGlobalScope !== undefined;
}

/**
 * Whether a timer ends with the request of a server in which it was set, as edge workers have it: then none may be
 * shared between calls.
 */
export function endsTimersWithRequests(): boolean {
  return surroundings.WebSocketPair !== undefined || surroundings.EdgeRuntime !== undefined;
}

/**
 * The address of the page, against which a relative `baseUrl` is resolved as `fetch` resolves its URLs; `undefined` outside
 * a page.
 */
export function pageAddress(): string | undefined {
  if (!isPage()) return undefined;
  const { document, location } = surroundings;
  const { href, origin } = location ?? {};
  // A worker made of a `Blob` has an address that leads nowhere, and the origin of the page that made it, if that has one.
  const own = href?.startsWith("blob:") ? origin : href;
  return document?.baseURI ?? (own === "null" ? undefined : own);
}
