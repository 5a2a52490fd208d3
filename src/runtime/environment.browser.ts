/** What browsers load in place of `environment.ts`: there is no environment to read, and no other runtime to tell apart. */

interface Surroundings {
  readonly process?: { readonly versions?: { readonly node?: string }; readonly type?: string };
  readonly document?: { readonly baseURI?: string };
  readonly location?: { readonly href: string; readonly origin: string };
}

const surroundings = globalThis as Surroundings;

export function readEnvironment(_name: string): string | undefined {
  return undefined;
}

/** Whether this is a page or a worker. jsdom under Node, whose tests may hold a key, is none; Electron's renderer is one. */
export function isPage(): boolean {
  const { process } = surroundings;
  return !process?.versions?.node || /^(?:renderer|worker)$/.test(process.type ?? "");
}

export function pageAddress(): string | undefined {
  const { document, location } = surroundings;
  // A worker created from a `Blob` has an unusable address, but the origin of its page, if that has one.
  const own = location?.href.startsWith("blob:") ? location.origin : location?.href;
  return document?.baseURI ?? (own === "null" ? undefined : own);
}

export const longestTimerMs = 2 ** 31 - 1;

export function mayForbidCaching(): boolean {
  return true;
}

export function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
