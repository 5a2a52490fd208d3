/** Replaces `environment.ts` in browsers, which have no environment variables, so that fewer checks are needed. */

interface Surroundings {
  readonly process?: { readonly versions?: { readonly node?: string }; readonly type?: string };
  readonly document?: { readonly baseURI?: string };
  readonly location?: { readonly href: string; readonly origin: string };
}

const surroundings = globalThis as Surroundings;

export function readEnvironment(_name: string): string | undefined {
  return undefined;
}

/** Whether this is a page or a worker, including Electron's renderer. jsdom in Node is not a page: its tests may have a key. */
export function isPage(): boolean {
  const { process } = surroundings;
  return !process?.versions?.node || /^(?:renderer|worker)$/.test(process.type ?? "");
}

export function pageAddress(): string | undefined {
  const { document, location } = surroundings;
  // The address of a worker that was created from a `Blob` is unusable, but it has the origin of its page, if there is one.
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
