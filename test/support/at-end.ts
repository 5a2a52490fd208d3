const undos = new Set<() => void>();

/**
 * Registers a clean-up for the case that this process ends early, because of Ctrl-C or because its parent has ended.
 *
 * @param undo - cleans up synchronously
 * @returns a function that removes the clean-up
 */
export function atEnd(undo: () => void): () => void {
  undos.add(undo);
  return () => undos.delete(undo);
}

function undoAll(): void {
  for (const undo of undos) {
    undos.delete(undo);
    try {
      undo();
    } catch {
      // The other clean-ups must run too.
    }
  }
}

process.once("exit", undoAll);
// Does not call `process.exit`, because test runners replace it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    undoAll();
    process.kill(process.pid, signal);
  });
}
// For a worker whose parent ends without a signal.
process.once("disconnect", undoAll);
