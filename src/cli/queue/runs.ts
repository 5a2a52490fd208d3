import { setTimeout as wait } from "node:timers/promises";
import { isInstance } from "../../errors/foreign-values.ts";
import type { BulkQueue } from "../../queue/index.ts";
import { Misuse, Stopped } from "../failure.ts";
import { canRedraw } from "../live-line.ts";
import { countOf, formatCount, printable } from "../output.ts";
import { inWordsOfTerminal } from "../report.ts";
import { untilAborted } from "../session.ts";
import type { Output, Session } from "../terminal.ts";
import { openQueue, type QueueFlags, readQueueAccess } from "./queue-settings.ts";
import { runsTable } from "./runs-table.ts";
import { RunsWatch } from "./runs-watch.ts";

/** Command-line options for `runs`. */
export interface RunsFlags extends QueueFlags {
  readonly once?: boolean;
  readonly retry?: string;
  readonly remove?: string;
  readonly failures?: string;
}

const everyMs = 1000;

/** The maximum number of listed failures. */
const maxFailures = 10_000;

/**
 * Shows the progress of the runs in a queue, or retries, removes or inspects one of them.
 *
 * @throws {Misuse} if the command line is invalid
 * @throws any error that the queue throws, or the abort reason of the session's signal
 */
export async function runs(flags: RunsFlags, session: Session): Promise<void> {
  const { terminal, signal } = session;
  const { retry, remove, failures, once } = flags;
  const actions = Object.entries({ retry, remove, failures }).filter(([, run]) => run !== undefined);
  if (actions.length > 1) {
    const names = actions.map(([name]) => `--${name}`);
    throw new Misuse(`${names.join(" and ")} cannot be used together. Run the command once for each.`);
  }
  const access = readQueueAccess(flags, terminal.env);
  const queue = openQueue(access);
  const say = (line: string) => void terminal.stdout.write(`${printable(line)}\n`);
  try {
    if (retry !== undefined) {
      const count = await untilAborted(queue.retry(retry), signal);
      say(`run ${retry}: ${countOf(count, "failed job")} queued again for a worker`);
    } else if (remove !== undefined) {
      await untilAborted(queue.remove(remove), signal);
      say(`run ${remove}: removed with its jobs; stored documents are kept`);
    } else if (failures !== undefined) {
      await untilAborted(listFailures(queue, failures, say), signal);
    } else {
      const watch = new RunsWatch(queue);
      if (!once && canRedraw(terminal.stdout, terminal.env)) await redraw(watch, access.name, session);
      else await untilAborted(printOnce(watch, access.name, say), signal);
    }
  } finally {
    // Not awaited: the process exits and closes every connection.
    queue.close().catch(() => {});
  }
}

async function listFailures(queue: BulkQueue, run: string, say: (line: string) => void): Promise<void> {
  const failures = await queue.failures(run, { limit: maxFailures });
  for (const { id, index, key, code, message } of failures) {
    const job = key === undefined ? `job ${index ?? id}` : `job ${index} (${key})`;
    say(`${job}: ${code}: ${inWordsOfTerminal(message)}`);
  }
  if (failures.length === 0) say(`run ${run}: no jobs have failed`);
  if (failures.length === maxFailures) say(`only the first ${formatCount(maxFailures)} are listed`);
}

async function printOnce(watch: RunsWatch, name: string, say: (line: string) => void): Promise<void> {
  let progresses = await watch.read();
  if (progresses.some(({ waiting, active }) => waiting + active > 0)) {
    // A rate requires two readings.
    await wait(everyMs);
    progresses = await watch.read();
  }
  for (const line of runsTable(progresses, name)) say(line);
}

/** Redraws the table until the user stops the command. */
async function redraw(watch: RunsWatch, name: string, { terminal, signal }: Session): Promise<void> {
  const { stdout } = terminal;
  let drawnLines = 0;
  try {
    for (;;) {
      const progresses = await untilAborted(watch.read(), signal);
      const lines = fitted(runsTable(progresses, name, true), stdout);
      const wipe = drawnLines === 0 ? "" : `\u001b[${drawnLines}A\u001b[J`;
      stdout.write(`${wipe}${lines.map((line) => `${line}\n`).join("")}`);
      drawnLines = lines.length;
      await wait(everyMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } catch (error) {
    if (!isInstance(error, Stopped)) throw error;
  }
}

/** Lines that wrap or have scrolled off the screen cannot be redrawn. */
function fitted(lines: readonly string[], { columns, rows }: Output): string[] {
  const most = Math.max(2, (rows || 24) - 1);
  const shown =
    lines.length <= most
      ? lines
      : [...lines.slice(0, most - 1), `${formatCount(lines.length - most + 1)} more runs are not shown`];
  return shown.map((line) => printable(line).slice(0, (columns || 80) - 1));
}
