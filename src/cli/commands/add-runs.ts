import type { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { RunsFlags } from "../queue/runs.ts";
import type { Session } from "../terminal.ts";
import { finishCommand, queueHelp, takeOnce } from "./finish-command.ts";

const runsHelp = `
Without --failures, --retry or --remove, the command shows the progress of all runs
in the queue. In a terminal, the table updates until you press Ctrl-C. A + after a
total means that jobs are still being added.
${queueHelp}
Examples:
  template-pdf runs --queue redis://localhost:6379
  template-pdf runs --failures 2026-11
${exitCodesHelp.runs}`;

/** Adds `runs` to the program. */
export function addRuns(program: Command, session: Session): void {
  const command = program.command("runs").description("Shows, retries or removes the runs in a queue.");
  const take = takeOnce(command);
  take("--queue <url>", "the URL of the queue (default: TEMPLATE_PDF_QUEUE_URL)");
  take("--name <name>", "the name of the queue (default: template-pdf)");
  command.option("--accept-unsealed", "also read runs that were added without TEMPLATE_PDF_QUEUE_KEY");
  command.option("--once", "print the table once, even in a terminal");
  take("--failures <run>", "list the failed jobs in a run with their indexes; the first job has index 0");
  take("--retry <run>", "retry the failed jobs in a run");
  take("--remove <run>", "remove a run and its jobs, but keep its stored documents");
  command.action(async (flags: RunsFlags) => {
    const { runs } = await import("../queue/runs.ts");
    await runs(flags, session);
  });
  finishCommand(command, runsHelp);
}
