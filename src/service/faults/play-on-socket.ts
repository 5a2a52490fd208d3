import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { withoutPrototype } from "../../runtime/own-options.ts";
import { answerByHand } from "../listen.ts";
import type { Step } from "./faults.ts";
import { pause, playAsResponse } from "./play-as-response.ts";

/**
 * Creates the response that `listen` plays. A script that interrupts the response is played on the socket, and ends the
 * connection.
 *
 * @param headers - additional response headers
 */
export function playOnServer(steps: readonly Step[], request: Request, headers = new Headers()): Response {
  const [head, ...rest] = steps;
  if (!steps.some((step) => ["stall", "end", "reset"].includes(step.do))) {
    return playAsResponse(steps, request);
  }
  if (head?.do !== "head") return answerByHand(Response.error(), (socket) => play(steps, socket));
  const all = { ...Object.fromEntries(headers), ...head.headers, connection: "close" };
  const response = new Response(null, withoutPrototype({ status: head.status, headers: all }));
  return answerByHand(response, (socket) => {
    // The endpoint has added its headers by now.
    return play([{ ...head, headers: Object.fromEntries(response.headers) }, ...rest], socket);
  });
}

/** Plays a script on a connection. Ends early if the client disconnects. */
export async function play(steps: readonly Step[], socket: Socket): Promise<void> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  socket.once("close", leave);
  for (const step of steps) {
    if (socket.destroyed) break;
    if (step.do === "head") await write(socket, headOf(step.status, step.headers));
    if (step.do === "write") await write(socket, step.bytes);
    if (step.do === "wait") await pause(step.ms, [gone.signal]);
    if (step.do === "stall") await pause(undefined, [gone.signal]);
    if (step.do === "end") socket.end();
    if (step.do === "reset") socket.resetAndDestroy();
  }
  socket.off("close", leave);
}

/** Returns the bytes of a status line and headers, with the empty line. */
function headOf(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Something"}`, ...lines, "", ""].join("\r\n");
}

/** Resolves when the system has the bytes, so that the next step comes after them, or when the socket is closed. */
function write(socket: Socket, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, "latin1", () => resolve());
  });
}
