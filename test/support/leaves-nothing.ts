import { setTimeout } from "node:timers/promises";
import { afterAll, vi } from "vitest";

/** How long a file may take to end what it started, in milliseconds: far more than any file needs. */
const patienceMs = 20_000;

// Vitest runs this module before each file.
const resourcesBefore = openResources();
const globalsBefore = globals();

// Several test files share a process. Anything that one file leaves behind could disturb another, so the file that leaves it
// fails.
afterAll(async () => {
  // Vitest also restores mocks after the file. Restoring the mock of a fake timer would bring the fake timer back.
  vi.restoreAllMocks();
  const changed = changedGlobals();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  if (changed.length > 0) throw new Error(`This file leaves other globals behind: ${changed.join(", ")}.`);
  const since = process.hrtime.bigint();
  const isLate = () => process.hrtime.bigint() - since > BigInt(patienceMs) * 1_000_000n;
  while (leftBehind().length > 0 && !isLate()) await setTimeout(20);
  const left = leftBehind();
  if (left.length > 0) throw new Error(`This file leaves behind: ${left.join(", ")}.`);
}, 2 * patienceMs);

function leftBehind(): string[] {
  const left: string[] = [];
  for (const [kind, count] of openResources()) {
    const more = count - (resourcesBefore.get(kind) ?? 0);
    if (more > 0) left.push(`${more} ${kind}`);
  }
  return left;
}

/** Returns what keeps this process alive, by kind: calls, timers, sockets, servers. Helpers may keep an idle worker thread. */
function openResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind !== "MessagePort") counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function changedGlobals(): string[] {
  const now = globals();
  return [...globalsBefore.keys()].filter((name) => !Object.is(globalsBefore.get(name), now.get(name)));
}

/**
 * Returns what the whole process shares: its globals with their properties, and its environment variables. Libraries may add
 * some.
 */
function globals(): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    // Reading these makes Node print a warning.
    if (name === "localStorage" || name === "sessionStorage") continue;
    const value = Reflect.get(globalThis, name);
    values.set(name, value);
    // Libraries replace methods of `process` permanently, which is harmless.
    if (!["globalThis", "global", "process"].includes(name)) addProperties(values, name, value);
  }
  for (const [name, value] of Object.entries(process.env)) values.set(`process.env.${name}`, value);
  return values;
}

function addProperties(values: Map<string, unknown>, name: string, owner: unknown): void {
  if (typeof owner !== "function" && (typeof owner !== "object" || owner === null)) return;
  for (const [property, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (typeof value === "function") values.set(`${name}.${property}`, value);
    if (property === "prototype") addProperties(values, `${name}.prototype`, value);
  }
}
