import { expect } from "vitest";

/** An error, and the stack of another that was created on the line before the one that failed. */
export interface Seen {
  readonly error: { readonly name: string; readonly message: string; readonly stack?: string };
  readonly marker: string;
}

const maxFramesBefore = 3;

/** Expects of a stack that it begins with name and message, and shows the caller's line below at most three frames. */
export function expectCallersLine({ error, marker }: Seen): void {
  const { name, message, stack = "" } = error;
  expect(stack.startsWith(`${name}: ${message}\n`), stack).toBe(true);
  const frames = stack.slice(`${name}: ${message}\n`.length).split("\n");
  const [file, line] = placeOf(marker.split("\n")[1] ?? "");
  const at = frames.findIndex((frame) => placeOf(frame)[0] === file);
  expect(at, `${file} in ${stack}`).not.toBe(-1);
  expect(placeOf(frames[at] ?? ""), stack).toEqual([file, line + 1]);
  expect(at, stack).toBeLessThanOrEqual(maxFramesBefore);
}

function placeOf(frame: string): [file: string, line: number] {
  const [, file = "", line = ""] = /(?:at |\()(?:async )?([^( ]+):(\d+):\d+\)?$/.exec(frame) ?? [];
  return [file, Number(line)];
}
