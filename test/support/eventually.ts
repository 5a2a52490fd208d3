import { vi } from "vitest";

/**
 * Resolves with the result of the function once it is truthy. Fails the test only after 20 s, because
 * a busy machine may be slow.
 */
export function eventually<Value>(predicate: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitUntil(predicate, { timeout: 20_000, interval: 10 }) as Promise<Value>;
}
