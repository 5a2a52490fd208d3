import type { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { RunsFlags } from "../queue/runs.ts";
import type { Session } from "../terminal.ts";
import { finishCommand, once, queueHelp } from "./finish-command.ts";

const runsHelp = `
Shows how all runs of the queue stand, again and again in a terminal, and once
elsewhere. A total with a + grows: jobs are being added.
${queueHelp}
Examples:
  template-pdf runs --queue redis://localhost:6379
  template-pdf runs --failures 2026-11
${exitCodesHelp.runs}`;

/** Adds `runs` to the program. */
export function addRuns(program: Command, session: Session): void {
  const command = program
    .command("runs")
    .description("Shows the runs of a queue, and retries or removes one.");
  const take = (option: string, description: string) =>
    command.option(option, description, once(option.replace(/ .*/, ""), "runs"));
  take("--queue <url>", "where the queue is (default: TEMPLATE_PDF_QUEUE_URL)");
  take("--name <name>", "the name of the queue (default: template-pdf)");
  command.option("--once", "print the table once, in a terminal, too");
  take("--failures <run>", "list the failed jobs of a run, each by its place among its jobs, from 0");
  take("--retry <run>", "let workers do the failed jobs of a run again");
  take("--remove <run>", "remove a run with its jobs; documents that are stored stay");
  command.action(async (flags: RunsFlags) => {
    const { runs } = await import("../queue/runs.ts");
    await runs(flags, session);
  });
  finishCommand(command, runsHelp);
}
