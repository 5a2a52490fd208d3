import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Clean-up functions, the oldest first. */
const pending = new Set();

process.on("exit", () => {
  for (const undo of [...pending].reverse()) undo();
});
for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 })) {
  process.on(signal, () => process.exit(code));
}

/** Kills a child when this process ends, unless SIGKILL ends it. */
export function killAtEnd(child) {
  const kill = () => void child.kill("SIGKILL");
  pending.add(kill);
  child.once("exit", () => pending.delete(kill));
  return child;
}

/** Creates an empty folder that is removed when this process ends. */
export function makeTemporaryFolder(name, parent = tmpdir()) {
  const path = mkdtempSync(join(parent, `template-pdf-${name}-`));
  // A child process that was just killed can still write.
  pending.add(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}
