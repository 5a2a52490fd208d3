import { ownOption } from "../runtime/own-options.ts";
import { printable } from "./output.ts";
import type { Output, Terminal } from "./terminal.ts";

/** A terminal is updated ten times a second; other outputs, such as logs, get a line with its time every 5 s. */
const drawMs = 100;
const lineMs = 5000;

const clearLine = "\r\u001b[K";

/** A status line that is redrawn below permanent lines. */
export interface LiveLine {
  /** Writes a permanent line. */
  say(line: string): void;
  /** Stops updating and erases the status line. */
  stop(): void;
}

/**
 * Shows a status line. If the output cannot redraw a line, prints the text every 5 s instead.
 * Each of those lines begins with the time in ISO 8601 and UTC, because a log outlives the run.
 *
 * @param output - the output, standard error
 * @param env - the environment; `TERM` shows what the terminal supports
 * @param textOf - returns the text for a number of columns
 */
export function showLive(
  output: Output,
  env: Terminal["env"],
  textOf: (maxColumns: number) => string,
): LiveLine {
  if (!canRedraw(output, env)) return showLines(output, textOf);
  let drawn = "";
  const draw = () => {
    // One column is left free, because a full line would wrap. Some terminals report 0 columns.
    const text = printable(textOf((output.columns || 80) - 1));
    if (text !== drawn) output.write(clearLine + text);
    drawn = text;
  };
  const erase = () => {
    if (drawn !== "") output.write(clearLine);
    drawn = "";
  };
  const timer = setInterval(draw, drawMs);
  draw();
  return {
    say(line) {
      erase();
      output.write(`${printable(line)}\n`);
      draw();
    },
    stop() {
      clearInterval(timer);
      erase();
    },
  };
}

/** Whether the output can redraw a line. */
export function canRedraw({ isTTY }: Output, env: Terminal["env"]): boolean {
  const TERM = ownOption(env, "TERM");
  return isTTY === true && TERM !== "dumb";
}

function showLines(output: Output, textOf: (maxColumns: number) => string): LiveLine {
  const say = (line: string) => void output.write(`${new Date().toISOString()} ${printable(line)}\n`);
  const timer = setInterval(() => say(textOf(Number.POSITIVE_INFINITY)), lineMs);
  return { say, stop: () => clearInterval(timer) };
}
