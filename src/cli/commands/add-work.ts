import { type Command, Option } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { WorkFlags } from "../queue/work.ts";
import type { Session } from "../terminal.ts";
import {
  addServiceOptions,
  finishCommand,
  once,
  queueHelp,
  serviceHelp,
  takeOnce,
} from "./finish-command.ts";

const workHelp = `
A worker generates the documents for all runs in a queue. Start any number of workers
on any number of machines. --out must be on a disk that all workers share. If a
worker is killed, another worker takes over its jobs. Ctrl-C finishes the documents
in flight and stops the worker. Press Ctrl-C again to stop immediately; other workers
then generate these documents.
${queueHelp}${serviceHelp}
Examples:
  template-pdf work --queue redis://localhost:6379 --out "out/{{invoice_no}}.pdf"
  template-pdf work --out "/mnt/out/{{no}}.pdf" --concurrency 32 --name payslips
${exitCodesHelp.work}`;

/** Adds `work` to the program. */
export function addWork(program: Command, session: Session): void {
  const command = program
    .command("work")
    .description("Runs a worker that generates documents for the jobs in a queue.")
    .addOption(
      new Option("--out <pattern>", 'the path of each document, such as "out/{{invoice_no}}.pdf"')
        .argParser(once("--out", "work"))
        .makeOptionMandatory(),
    );
  const take = takeOnce(command);
  take("--queue <url>", "the URL of the queue (default: TEMPLATE_PDF_QUEUE_URL)");
  take("--name <name>", "the name of the queue (default: template-pdf)");
  command.option("--accept-unsealed", "also process runs that were added without TEMPLATE_PDF_QUEUE_KEY");
  take("--concurrency <count>", "the maximum number of documents in flight (default: 16)");
  take(
    "--per-second <count>",
    "the maximum number of requests per second across all workers; the queue stores this limit",
  );
  take(
    "--recover-after <duration>",
    "the maximum time until other workers take over the jobs of this worker if it is killed (default: 30s)",
  );
  take("--give-up-after <duration>", "stop if the service is unavailable for this long (default: 15m)");
  take("--base-url <url>", "the base URL of the service, such as https://pdf.example.com");
  take("--timeout <duration>", "the timeout for one document, such as 30s, 500ms or 2m (default: 600s)");
  command.action(async (flags: WorkFlags) => {
    const { work } = await import("../queue/work.ts");
    await work(flags, session);
  });
  addServiceOptions(command);
  finishCommand(command, workHelp);
}
