import dns from "node:dns";
import { afterAll, beforeAll } from "vitest";

type Answer = "unknown" | "silent" | "loopback";
type Callback = (error: Error | null, ...rest: unknown[]) => void;

const names = new Map<string, Answer>();
/** Functions that fail the lookups without an answer, because their callers may still wait for a timeout. */
const unanswered = new Set<() => void>();
let last = 0;

/** Replaces `dns.lookup` for the tests of a file, so that it also resolves the names from `hostName()`. */
export function makeUpHostNames(): void {
  const { lookup } = dns;
  const madeUp = (name: string, options: { all?: boolean }, callback: Callback): void => {
    const answer = names.get(name);
    if (answer === undefined) return void (lookup as (...all: unknown[]) => void)(name, options, callback);
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), {
      code: "ENOTFOUND",
      syscall: "getaddrinfo",
      hostname: name,
    });
    if (answer === "silent") return void unanswered.add(() => callback(error));
    const found = options.all ? [[{ address: "127.0.0.1", family: 4 }]] : ["127.0.0.1", 4];
    process.nextTick(() => (answer === "unknown" ? callback(error) : callback(null, ...found)));
  };
  beforeAll(() => {
    dns.lookup = madeUp as typeof lookup;
  });
  afterAll(() => {
    dns.lookup = lookup;
    for (const refuse of unanswered) refuse();
    unanswered.clear();
  });
}

/** Creates a host name that nothing else uses. */
export function hostName(answer: Answer): { readonly name: string; readonly becomesKnown: () => void } {
  const name = `host-${last++}.test`;
  names.set(name, answer);
  return { name, becomesKnown: () => void names.set(name, "loopback") };
}
