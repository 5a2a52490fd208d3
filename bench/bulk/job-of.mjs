// @ts-check
import { values } from "../shared/values.mjs";

/**
 * The job of every part of the measurement: a document of so many bytes, which is what the servers take the uid for.
 *
 * @param {string} origin
 * @param {number} bytes
 * @param {string} [folder] - where documents are saved
 * @returns {import("../compare/contenders.mjs").Job}
 */
export function jobOf(origin, bytes, folder = "") {
  return { origin, uid: String(bytes), apiKey: "0123456789abcdef0123456789abcdef", values, folder };
}
