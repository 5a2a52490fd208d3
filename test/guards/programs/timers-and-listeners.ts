// Prints the number of timers and listeners for 1,000 documents with one signal: one at a time, and 20 at a time.
import { EventEmitter } from "node:events";
import { clientInMemory, getMany } from "../calls.ts";

const documents = 1_000;
let counts: Record<string, number> = {};

/** Counts the calls of a global function without changing its behaviour. */
function count(owner: object, name: string): void {
  const original = Reflect.get(owner, name);
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]) {
    counts[name] = (counts[name] ?? 0) + 1;
    return Reflect.apply(original, this, args);
  });
}

for (const name of ["setTimeout", "setInterval", "setImmediate", "clearTimeout"]) count(globalThis, name);
for (const name of ["addEventListener", "removeEventListener"]) count(EventTarget.prototype, name);
for (const name of ["on", "once", "addListener"]) count(EventEmitter.prototype, name);

const client = clientInMemory(true);
const { signal } = new AbortController();

async function countsOf(inFlight: number): Promise<Record<string, number>> {
  counts = {};
  await getMany(client, documents, inFlight, signal);
  return counts;
}

console.log(JSON.stringify({ alone: await countsOf(1), together: await countsOf(20) }));
