import { setMaxListeners } from "node:events";
import { makeAuthority } from "../../support/certificates.ts";

/** An authority that no client trusts, unless it takes `ca` from `Object.prototype`. */
export const untrustedAuthority = makeAuthority();

/** A server that no request may reach, and what reached it. Hostile functions also report here. */
export interface Trap {
  readonly origin: string;
  readonly caught: string[];
}

/** How many kinds of values there are. */
export const variants = 4;

/** Returns a value that would redirect, weaken or break a call if it was taken for an option. */
export function hostileValue(name: string, variant: number, trap: Trap): unknown {
  const trapped = () => {
    trap.caught.push(`\`${name}\` was called`);
    return false;
  };
  // Node's sockets and the `Request` of servers also read these, and throw for anything else.
  if (name === "signal") {
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    return signal;
  }
  if (name === "credentials") return "include";
  if (name === "redirect") return "follow";
  if (name === "socketPath") return "/nowhere.sock";
  const special: Readonly<Record<string, unknown>> = {
    apiKey: "stolen",
    apiKeys: ["stolen"],
    baseUrl: trap.origin,
    ca: untrustedAuthority.cert,
    dispatcher: { dispatch: trapped },
    headers: { "x-polluted": "1" },
    hooks: { request: trapped, error: trapped },
    limits: { maxBodyBytes: 1 },
    retry: { limit: 9 },
    schema: { "~standard": { version: 1, vendor: "evil", validate: trapped } },
    timeouts: { total: 1 },
    uid: "other",
    rejectUnauthorized: false,
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
    HTTP_PROXY: trap.origin,
    http_proxy: trap.origin,
    HTTPS_PROXY: trap.origin,
    https_proxy: trap.origin,
    NO_PROXY: "",
    TEMPLATE_PDF_API_KEY: "stolen",
    TEMPLATE_PDF_BASE_URL: trap.origin,
  };
  const values = [special[name] ?? "polluted", trapped, 1, false];
  return values[variant % variants];
}
