import { expect } from "vitest";

/** An error, and the stack of another that was created on the line before the one that failed. */
export interface Seen {
  readonly error: { readonly name: string; readonly message: string; readonly stack?: string };
  readonly marker: string;
}

const maxFramesBefore = 3;

/** Expects a stack that starts with the name and message, and has the caller's line after at most three frames. */
export function expectCallersLine({ error, marker }: Seen): void {
  const { name, message, stack = "" } = error;
  expect(stack.startsWith(`${name}: ${message}\n`), stack).toBe(true);
  const frames = stack.slice(`${name}: ${message}\n`.length).split("\n");
  const [file, line] = parsePosition(marker.split("\n")[1] ?? "");
  const at = frames.findIndex((frame) => parsePosition(frame)[0] === file);
  expect(at, `${file} in ${stack}`).not.toBe(-1);
  expect(parsePosition(frames[at] ?? ""), stack).toEqual([file, line + 1]);
  expect(at, stack).toBeLessThanOrEqual(maxFramesBefore);
}

function parsePosition(frame: string): [file: string, line: number] {
  const [, file = "", line = ""] = /(?:at |\()(?:async )?([^( ]+):(\d+):\d+\)?$/.exec(frame) ?? [];
  return [file, Number(line)];
}
