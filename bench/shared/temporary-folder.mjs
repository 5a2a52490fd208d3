// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./at-end.mjs";

/**
 * Makes an empty folder that is gone, with all that is in it, when this process ends.
 *
 * @param {string} name - of the program
 * @param {string} [parent]
 * @returns {{ path: string, remove: () => void }}
 */
export function makeTemporaryFolder(name, parent = tmpdir()) {
  const path = mkdtempSync(join(parent, `template-pdf-${name}-`));
  // A child that was killed a moment ago may still write its last.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  return { path, remove: atEnd(remove) };
}
