import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { atEnd } from "./at-end.ts";
import { isWindows } from "./platform.ts";

/** Creates a folder that is removed after the test. */
export function temporaryFolder(): string {
  const { path, remove } = makeTemporaryFolder("test");
  onTestFinished(remove);
  return path;
}

/**
 * Creates a folder that is removed when this process ends, or earlier.
 *
 * @param name - part of the folder's name
 */
export function makeTemporaryFolder(name: string): { readonly path: string; remove(): void } {
  const path = realpathSync.native(mkdtempSync(join(tmpdir(), `template-pdf-${name}-`)));
  // Programs that have just ended may still write into it.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const forget = atEnd(remove);
  return {
    path,
    remove() {
      try {
        remove();
      } catch (error) {
        if (!isWindows) throw error;
        // On Windows, a file that this process has open cannot be removed. It is removed when the process ends.
        return;
      }
      forget();
    },
  };
}
