// @ts-check
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run-command.mjs";

/**
 * Reads a JSON file of the repository.
 *
 * @param {string} path - from the root
 */
export function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}
