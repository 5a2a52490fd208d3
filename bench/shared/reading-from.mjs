// @ts-check
import { once } from "node:events";

/**
 * What a contender's process tells in its one message.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} name - of the contender
 * @returns {Promise<any>}
 */
export async function readingFrom(child, name) {
  const [reading] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof reading !== "object" || !reading) throw new Error(`${name} failed`);
  return reading;
}
