import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";
import { isWindows } from "./platform.ts";

/**
 * Makes a folder that goes at the end of this process, or before.
 *
 * @param name - part of the folder's
 */
export function makeTemporaryFolder(name: string): { readonly path: string; remove(): void } {
  const path = realpathSync.native(mkdtempSync(join(tmpdir(), `template-pdf-${name}-`)));
  // Programs that were ended a moment ago may still write into it.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const forget = atEnd(remove);
  return {
    path,
    remove() {
      try {
        remove();
      } catch (error) {
        if (!isWindows) throw error;
        // There a file that this process still has open cannot go: it goes when that ends.
        return;
      }
      forget();
    },
  };
}
