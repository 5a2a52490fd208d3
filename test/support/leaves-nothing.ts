import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, vi } from "vitest";

/** How long a file may take to end what it began, in milliseconds: far more than any file needs. */
const patienceMs = 20_000;

let before: ReadonlyMap<string, number>;

beforeAll(() => {
  before = openResources();
});

// Several test files share a process. What one of them leaves behind would show in another one, so the file that leaves it fails.
afterAll(async () => {
  const isClockFake = vi.isFakeTimers();
  vi.useRealTimers();
  if (isClockFake) throw new Error("This file leaves behind fake timers.");
  const since = process.hrtime.bigint();
  const isLate = () => process.hrtime.bigint() - since > BigInt(patienceMs) * 1_000_000n;
  while (leftBehind().length > 0 && !isLate()) await setTimeout(20);
  const left = leftBehind();
  if (left.length > 0) throw new Error(`This file leaves behind: ${left.join(", ")}.`);
}, 2 * patienceMs);

function leftBehind(): string[] {
  const left: string[] = [];
  for (const [kind, count] of openResources()) {
    const more = count - (before.get(kind) ?? 0);
    if (more > 0) left.push(`${more} ${kind}`);
  }
  return left;
}

/** What keeps this process alive, by kind: calls, timers, sockets, servers. Helpers may keep an idle worker thread. */
function openResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind !== "MessagePort") counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
