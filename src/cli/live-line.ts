import { printable } from "./output.ts";
import type { Output, Terminal } from "./terminal.ts";

/** No more than ten times a second on a terminal; elsewhere a line now and then, which somebody keeps. */
const drawMs = 100;
const lineMs = 5000;

const clearLine = "\r\u001b[K";

/** A line that is drawn again and again, below the lines that stay. */
export interface LiveLine {
  /** Writes a line that stays. */
  say(line: string): void;
  /** Wipes the live line away. */
  stop(): void;
}

/**
 * Shows a line that changes; where none can be drawn again, its text every 5 s.
 *
 * @param output - where to: standard error
 * @param env - the environment, whose `TERM` tells what the terminal can do
 * @param textOf - returns the text, for so many columns
 */
export function showLive(
  output: Output,
  env: Terminal["env"],
  textOf: (maxColumns: number) => string,
): LiveLine {
  if (!canRedraw(output, env)) return showLines(output, textOf);
  let drawn = "";
  const draw = () => {
    // One column less than there are, which some terminals do not know and call 0: a full line would wrap.
    const text = printable(textOf((output.columns || 80) - 1));
    if (text !== drawn) output.write(clearLine + text);
    drawn = text;
  };
  const wipe = () => {
    if (drawn !== "") output.write(clearLine);
    drawn = "";
  };
  const timer = setInterval(draw, drawMs);
  draw();
  return {
    say(line) {
      wipe();
      output.write(`${printable(line)}\n`);
      draw();
    },
    stop() {
      clearInterval(timer);
      wipe();
    },
  };
}

/** Whether a line can be drawn again there. */
export function canRedraw({ isTTY }: Output, { TERM }: Terminal["env"]): boolean {
  return isTTY === true && TERM !== "dumb";
}

function showLines(output: Output, textOf: (maxColumns: number) => string): LiveLine {
  const say = (line: string) => void output.write(`${printable(line)}\n`);
  const timer = setInterval(() => say(textOf(Number.POSITIVE_INFINITY)), lineMs);
  return { say, stop: () => clearInterval(timer) };
}
