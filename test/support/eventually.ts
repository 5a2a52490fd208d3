import { expect, vi } from "vitest";

/** The files with a wait that failed. */
const failedFiles = new Set<string | undefined>();

/**
 * Resolves with the result of the function once it is truthy. Fails the test only after 20 s, because
 * a busy machine may be slow.
 */
export function eventually<Value>(predicate: () => Value | Promise<Value>): Promise<Value> {
  return wait((options) => vi.waitUntil(predicate, options) as Promise<Value>);
}

/** Resolves once the result of the function equals `expected`. The error of the test shows the difference. */
export function eventuallyEquals(read: () => unknown, expected: unknown): Promise<void> {
  return wait((options) => expect.poll(read, options).toEqual(expected));
}

/**
 * After a failed wait, the file fails in any case. So its other waits are short: what affects all of its tests must not take 20 s
 * for each of them.
 */
async function wait<Value>(until: (options: object) => Promise<Value>): Promise<Value> {
  const { testPath } = expect.getState();
  try {
    return await until({ timeout: failedFiles.has(testPath) ? 1_000 : 20_000, interval: 10 });
  } catch (error) {
    failedFiles.add(testPath);
    throw error;
  }
}
