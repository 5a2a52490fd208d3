import type { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { RunsFlags } from "../queue/runs.ts";
import type { Session } from "../terminal.ts";
import { finishCommand, queueHelp, takeOnce } from "./finish-command.ts";

const runsHelp = `
The command shows the progress of all runs in the queue. In a terminal, the table
updates until you press Ctrl-C. A + after a total means that jobs are still being
added. Below the table are the number of workers, the maximum number of requests per
second, and why runs are paused or incomplete. With an option such as --pause, the
command acts on one run instead, and prints one line.
${queueHelp}
Examples:
  template-pdf runs --queue redis://localhost:6379
  template-pdf runs --failures 2026-11
  template-pdf runs --pause 2026-11
${exitCodesHelp.runs}`;

/** Adds `runs` to the program. */
export function addRuns(program: Command, session: Session): void {
  const command = program
    .command("runs")
    .description("Shows the runs in a queue, and pauses, retries, repairs or removes them.");
  const take = takeOnce(command);
  take("--queue <url>", "the URL of the queue (default: TEMPLATE_PDF_QUEUE_URL)");
  take("--name <name>", "the name of the queue (default: template-pdf)");
  command.option("--accept-unsealed", "also read runs that were added without TEMPLATE_PDF_QUEUE_KEY");
  command.option("--once", "print the table once, even in a terminal");
  take("--failures <run>", "list the failed jobs in a run with their indexes; the first job has index 0");
  take("--retry <run>", "retry the failed jobs in a run");
  take("--pause <run>", "pause a run; its documents in flight are finished");
  take("--resume <run>", "resume a paused run; rows of a cancelled run must be added again");
  take("--cancel <run>", "delete the unfinished jobs in a run, but keep its counts and failures");
  take("--repair <run>", "queue lost jobs in a run again, for example after Redis lost data");
  take("--remove <run>", "remove a run and its jobs, but keep its stored documents");
  command.action(async (flags: RunsFlags) => {
    const { runs } = await import("../queue/runs.ts");
    await runs(flags, session);
  });
  finishCommand(command, runsHelp);
}
