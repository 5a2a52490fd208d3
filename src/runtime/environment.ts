/**
 * The only file in the client that reads `process.env` and detects the runtime.
 *
 * Every access is guarded: a browser has no `process`, and Deno throws without the permission to read the environment.
 */

import { ownOption } from "./own-options.ts";

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

/** Reads an environment variable. Returns `undefined` if it is not set or cannot be read. */
export function readEnvironment(name: string): string | undefined {
  try {
    const env = surroundings.process?.env;
    return env && ownOption(env, name);
  } catch {
    return undefined;
  }
}

/**
 * Whether this code runs in a web page, a web worker, or an Electron renderer or its workers, where the user can read every
 * secret. A server-side runtime with a simulated DOM (jsdom in Node) is not a page.
 */
export function isPage(): boolean {
  const { process, Deno, Bun, EdgeRuntime, WebSocketPair } = surroundings;
  if (Deno || Bun || EdgeRuntime || WebSocketPair) return false;
  const inElectron = process?.type === "renderer" || process?.type === "worker";
  if (process?.versions?.node && !inElectron) return false;
  return surroundings.document !== undefined || surroundings.WorkerGlobalScope !== undefined;
}

/** The address of the page, against which a relative `baseUrl` is resolved, as in `fetch`. `undefined` outside a page. */
export function pageAddress(): string | undefined {
  if (!isPage()) return undefined;
  const { document, location } = surroundings;
  const { href, origin } = location ?? {};
  // The address of a worker that was created from a `Blob` is unusable, but it has the origin of its page, if there is one.
  const own = href?.startsWith("blob:") ? origin : href;
  return document?.baseURI ?? (own === "null" ? undefined : own);
}

/** Parses a URL. React Native has no `URL.canParse`. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Whether a host always refers to this machine: `localhost`, 127.0.0.0/8 (RFC 1122, 3.2.1.3) and `::1` (RFC 4291, 2.5.3).
 * Not `x.localhost` or `localhost.`, because many systems look these names up in DNS, which may return any address.
 *
 * @param hostname - from `URL.hostname`: lower case, IPv6 in brackets
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * Whether a host is meant to be this machine: additionally the subdomains of `localhost`, with or without a final dot (RFC 6761,
 * 6.3). Does not tell where a connection goes; see `isLoopback`.
 *
 * @param hostname - as for `isLoopback`
 */
export function isNamedLocal(hostname: string): boolean {
  return isLoopback(hostname) || /^(?:.+\.)?localhost\.?$/.test(hostname);
}

let forbidsCaching: boolean | undefined;

/**
 * Whether the runtime accepts `cache: "no-store"`, without which Next.js would cache documents. Some versions
 * of Workers throw an error for this option.
 */
export function mayForbidCaching(): boolean {
  try {
    forbidsCaching ??= new Request("https://localhost", { cache: "no-store" }).cache === "no-store";
  } catch {
    forbidsCaching = false;
  }
  return forbidsCaching;
}

/**
 * Decodes UTF-8. In React Native and Jest's jsdom, which have no `TextDecoder`, all characters outside ASCII are lost if the bytes are
 * not valid.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  if (typeof TextDecoder !== "undefined") return new TextDecoder().decode(bytes);
  try {
    return decodeValidUtf8(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xfffd)).join("");
  }
}

/** Decodes UTF-8 in every runtime. @throws {URIError} if the bytes are not valid */
export function decodeValidUtf8(bytes: Uint8Array): string {
  return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
}
