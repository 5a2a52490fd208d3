// @ts-check
const exitCodes = /** @type {const} */ ({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });
const signals = /** @type {(keyof typeof exitCodes)[]} */ (Object.keys(exitCodes));

/** What is still to be undone, the oldest first. @type {Set<() => void>} */
const pending = new Set();

/**
 * Undoes something when this process ends, however it ends but by SIGKILL, and the latest first. All of it has to be
 * synchronous.
 *
 * @param {() => void} undo
 * @returns {() => void} undoes it now, unless that is done
 */
export function atEnd(undo) {
  if (pending.size === 0) listen();
  const undoOnce = () => {
    if (!pending.delete(undoOnce)) return;
    if (pending.size === 0) stopListening();
    undo();
  };
  pending.add(undoOnce);
  return undoOnce;
}

/**
 * Kills a child when this process ends. Nothing of it is waited for: who removes what it writes to has made that first.
 *
 * @template {import("node:child_process").ChildProcess} Child
 * @param {Child} child
 * @returns {Child} the same
 */
export function killAtEnd(child) {
  child.once(
    "exit",
    atEnd(() => void child.kill("SIGKILL")),
  );
  return child;
}

function listen() {
  for (const signal of signals) process.on(signal, exit);
  process.on("exit", undoAll);
}

function stopListening() {
  for (const signal of signals) process.off(signal, exit);
  process.off("exit", undoAll);
}

/** @param {NodeJS.Signals} signal */
function exit(signal) {
  process.exit(exitCodes[/** @type {keyof typeof exitCodes} */ (signal)]);
}

function undoAll() {
  for (const undo of [...pending].reverse()) undo();
}
