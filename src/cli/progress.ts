import { formatSize, printable } from "./output.ts";
import type { Output, Terminal } from "./terminal.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

const frameMs = 100;

const clearLine = "\r\u001b[K";

/** How far a document is, on one line that is drawn again and again, and wiped away at the end. */
export interface Progress {
  /** Something went wrong, and is tried again. */
  waits(): void;
  /** More of the document has come. */
  receives(progress: { readonly receivedBytes: number; readonly totalBytes: number | undefined }): void;
  stop(): void;
}

const silent: Progress = { waits() {}, receives() {}, stop() {} };

/**
 * Shows how far a document is; nowhere but on a terminal that can draw a line again.
 *
 * @param output - where to: standard error
 * @param name - the document's
 * @param env - the environment, whose `TERM` tells what the terminal can do
 */
export function showProgress(output: Output, name: string, { TERM }: Terminal["env"]): Progress {
  if (!output.isTTY || TERM === "dumb") return silent;
  const begunMs = performance.now();
  const shownName = printable(name);
  let doing = "waiting for the service";
  let frame = 0;
  const draw = () => {
    // The seconds go on where nothing else does, so that a call that stands still is seen to.
    const seconds = Math.floor((performance.now() - begunMs) / 1000);
    const line = `${frames[frame++ % frames.length]} ${shownName}: ${doing}, ${seconds} s`;
    // One column less than there are: a full line would wrap, and the next one be drawn below it. Some terminals
    // do not know how many they have, and say 0.
    output.write(clearLine + [...line].slice(0, (output.columns || 80) - 1).join(""));
  };
  const timer = setInterval(draw, frameMs);
  draw();
  return {
    waits() {
      doing = "trying again";
    },
    receives({ receivedBytes, totalBytes }) {
      const ofAll = totalBytes === undefined ? "so far" : `of ${formatSize(totalBytes)}`;
      doing = `${formatSize(receivedBytes)} ${ofAll}`;
    },
    stop() {
      clearInterval(timer);
      output.write(clearLine);
    },
  };
}
