const undos = new Set<() => void>();

/**
 * Notes what is to be undone where this process ends before it was undone: by Ctrl-C, or because its parent has gone.
 *
 * @param undo - undoes it at once, without waiting for anything
 * @returns forgets it again
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
      // The others are to be undone as well.
    }
  }
}

process.once("exit", undoAll);
// Not `process.exit`, which test runners replace.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    undoAll();
    process.kill(process.pid, signal);
  });
}
// Of a worker, whose parent may end without a word.
process.once("disconnect", undoAll);
