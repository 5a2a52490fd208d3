import { vi } from "vitest";

/** Resolves when something has come true, with what it gave. A busy machine may take long: after 20 s, the test fails. */
export function eventually<Value>(predicate: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitUntil(predicate, { timeout: 20_000, interval: 10 }) as Promise<Value>;
}
