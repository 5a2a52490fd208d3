import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Step } from "../faults/scripted-fault.ts";

/** Does to a connection what a script says; ends early when the client has gone. */
export async function play(steps: readonly Step[], socket: Socket): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return;
    await playStep(step, socket);
  }
}

async function playStep(step: Step, socket: Socket): Promise<void> {
  switch (step.do) {
    case "head":
      return write(socket, headOf(step.status, step.headers));
    case "write":
      return write(socket, step.bytes);
    case "drip":
      for (let at = 0; at < step.bytes.length && !socket.destroyed; at += step.pieceBytes) {
        if (at > 0) await unlessClosed(socket, (done) => cancellable(done, step.everyMs));
        await write(socket, step.bytes.subarray(at, at + step.pieceBytes));
      }
      return;
    case "wait":
      return unlessClosed(socket, (done) => cancellable(done, step.ms));
    case "stall":
      return unlessClosed(socket, () => () => {});
    case "end":
      socket.end();
      return;
    case "reset":
      socket.resetAndDestroy();
      return;
  }
}

/** The bytes of a status line and headers, with the empty line after them. */
function headOf(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Something"}`, ...lines, "", ""].join("\r\n");
}

/** Resolves when the bytes were given to the system, so that what comes next cannot overtake them. */
function write(socket: Socket, bytes: Uint8Array | string): Promise<void> {
  const data = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
  return unlessClosed(socket, (done) => {
    socket.write(data, () => done());
    return () => {};
  });
}

function cancellable(done: () => void, delayMs: number): () => void {
  const timer = setTimeout(done, delayMs);
  return () => clearTimeout(timer);
}

/** Waits for something that can be called off, or for the socket to be gone. */
function unlessClosed(socket: Socket, start: (done: () => void) => () => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off("close", done);
      callOff();
      resolve();
    };
    socket.once("close", done);
    const callOff = start(done);
    if (socket.destroyed) done();
  });
}
