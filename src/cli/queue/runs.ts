import { setTimeout as wait } from "node:timers/promises";
import { isInstance } from "../../errors/foreign-values.ts";
import type { BulkQueue } from "../../queue/index.ts";
import { untilAborted } from "../../runtime/until-aborted.ts";
import { Misuse, Stopped } from "../failure.ts";
import { canRedraw } from "../live-line.ts";
import { areOf, countOf, formatCount, printable } from "../output.ts";
import { inWordsOfTerminal } from "../report.ts";
import type { Output, Session } from "../terminal.ts";
import { openQueue, type QueueFlags, readQueueAccess } from "./queue-settings.ts";
import { runsNotes, runsTable } from "./runs-table.ts";
import { RunsWatch } from "./runs-watch.ts";

/** Does something with one run. Returns what it did. */
type Action = (queue: BulkQueue, run: string) => Promise<string>;

const actions = {
  async retry(queue, run) {
    return `${countOf(await queue.retry(run), "failed job")} queued again for a worker`;
  },
  async pause(queue, run) {
    await queue.pause(run);
    return "paused; its documents in flight will still be finished";
  },
  async resume(queue, run) {
    await queue.resume(run);
    return "resumed";
  },
  async cancel(queue, run) {
    await queue.cancel(run);
    return "cancelled; its counts and failures are kept";
  },
  async repair(queue, run) {
    const { queued, deleted } = await queue.repair(run);
    const next = deleted === 0 ? "" : "; add the same rows again";
    return `${countOf(queued, "job")} queued again, ${countOf(deleted, "lost job")} failed${next}`;
  },
  async remove(queue, run) {
    await queue.remove(run);
    return "removed with its jobs; stored documents are kept";
  },
} satisfies Record<string, Action>;

const actionNames = Object.keys(actions) as (keyof typeof actions)[];

/** Command-line options for `runs`. */
export interface RunsFlags extends QueueFlags, Partial<Record<keyof typeof actions | "failures", string>> {
  readonly once?: boolean;
}

const everyMs = 1000;

/** The maximum number of listed failures. */
const maxFailures = 10_000;

/**
 * Shows the progress of the runs in a queue, or acts on one of them.
 *
 * @throws {Misuse} if the command line is invalid
 * @throws any error that the queue throws, or the abort reason of the session's signal
 */
export async function runs(flags: RunsFlags, session: Session): Promise<void> {
  const { terminal, signal } = session;
  const { failures, once } = flags;
  const [name, second] = (["failures", ...actionNames] as const).filter((each) => flags[each] !== undefined);
  if (second !== undefined) {
    throw new Misuse(`--${name} and --${second} cannot be used together. Run the command once for each.`);
  }
  const access = readQueueAccess(flags, terminal.env);
  const queue = openQueue(access);
  const say = (line: string) => void terminal.stdout.write(`${printable(line)}\n`);
  try {
    if (failures !== undefined) {
      await untilAborted(listFailures(queue, failures, say), signal);
    } else if (name !== undefined && name !== "failures") {
      const run = flags[name] as string;
      say(`run ${run}: ${await untilAborted(actions[name](queue, run), signal)}`);
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
  for (const line of [...runsTable(progresses, name), ...runsNotes(progresses)]) say(line);
}

/** Redraws the table until the user stops the command. */
async function redraw(watch: RunsWatch, name: string, { terminal, signal }: Session): Promise<void> {
  const { stdout } = terminal;
  let drawnLines = 0;
  try {
    for (;;) {
      const progresses = await untilAborted(watch.read(), signal);
      const lines = fitted(runsTable(progresses, name, true), runsNotes(progresses), stdout);
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
function fitted(table: readonly string[], notes: readonly string[], { columns, rows }: Output): string[] {
  const most = Math.max(2, (rows || 24) - 1);
  const shownNotes = notes.slice(0, Math.floor(most / 3));
  const mostRows = most - shownNotes.length;
  const hidden = table.length - mostRows + 1;
  const shown =
    table.length <= mostRows
      ? table
      : [...table.slice(0, mostRows - 1), `${countOf(hidden, "more run")} ${areOf(hidden)} not shown`];
  return [...shown, ...shownNotes].map((line) => printable(line).slice(0, (columns || 80) - 1));
}
