import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Entry, entries } from "./entries.ts";
import { hostileValue, type Trap } from "./hostile-values.ts";

/**
 * A program that uses every entry point, first with a clean `Object.prototype` and then, for each message that it receives, with a
 * polluted one. A process of its own, because the test runner would also inherit the properties.
 */

/** The pollution to try: the names, and which kind of value each of them has. */
export interface Pollution {
  readonly names: readonly string[];
  readonly variant: number;
}

/** What the program sends first: the names of the options that it has read, and the results of two clean rounds. */
export interface Started {
  readonly names: readonly string[];
  readonly clean: Readonly<Record<string, string>>;
  readonly stable: Readonly<Record<string, string>>;
}

/** The differences that a pollution causes, and what reached the trap: empty if there are none. */
export type Differences = readonly string[];

const { readNames } = globalThis as unknown as { readNames: Set<PropertyKey> };

async function startTrap(): Promise<Trap> {
  const caught: string[] = [];
  const server = createServer((request, response) => {
    caught.push(`${request.method} ${request.url} with ${request.headers.authorization}`);
    response.writeHead(200).end("trap");
  });
  server.on("connect", (request, socket) => {
    caught.push(`CONNECT ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, caught };
}

async function resultOf(entry: Entry): Promise<string> {
  try {
    return JSON.stringify(await entry());
  } catch (error) {
    const { name, code, message } = error as Error & { code?: unknown };
    return `${name} ${String(code)} ${message}`;
  }
}

async function runAll(): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  for (const [name, entry] of Object.entries(entries)) {
    results[name] = await resultOf(entry);
  }
  return results;
}

/** Entries that use neither sockets nor files. */
const isSelfContained =
  /fetch of its own|without (?:settings|options)|refuses|objectUrl|bulkQueue|fakeService\(\)$|faults|fakePdf/;

/**
 * Whether a property breaks Node itself, so that nothing could work, or the `fetch` of Node.
 *
 * - Every property descriptor inherits `set`.
 * - The listeners of a socket inherit `connect`, `error` and `timeout`. Node 20's synchronous file functions read `error`, too.
 * - The headers that a server receives inherit `host`, which then replaces the one that was sent.
 * - Node's `fetch` copies its arguments to objects that inherit from `Object.prototype`.
 */
function breaksNode(name: string, title: string): boolean {
  if (name === "set") return true;
  if (["connect", "error", "timeout"].includes(name)) return !isSelfContained.test(title);
  if (name === "host") return /nodeListener|listen|startEmulator/.test(title);
  return title.includes("global fetch") && /^(?:dispatcher|status)$/.test(name);
}

async function pollutedBy({ names, variant }: Pollution, trap: Trap): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  for (const [title, entry] of Object.entries(entries)) {
    const polluted = names.filter((name) => !breaksNode(name, title));
    for (const name of polluted) {
      const value = hostileValue(name, variant, trap);
      // A descriptor without a prototype, which would inherit `get` and `set`.
      const descriptor = { value, configurable: true, enumerable: true, writable: true };
      Object.defineProperty(Object.prototype, name, Object.assign(Object.create(null), descriptor));
    }
    const result = await resultOf(entry);
    for (const name of polluted) delete (Object.prototype as unknown as Record<string, unknown>)[name];
    results[title] = result;
  }
  return results;
}

/** Runs the program: reports what a clean process does, then the differences for each message. */
async function main(): Promise<void> {
  const trap = await startTrap();
  const clean = await runAll();
  const stable = await runAll();
  process.send?.({ names: [...readNames].filter((name) => typeof name === "string"), clean, stable });
  process.on("message", async (pollution: Pollution) => {
    const results = await pollutedBy(pollution, trap);
    const changed = Object.keys(clean).filter((title) => results[title] !== clean[title]);
    const differences = changed.map((title) => `${title}: ${clean[title]} became ${results[title]}`);
    process.send?.([...differences, ...trap.caught.splice(0)]);
  });
}

void main();
