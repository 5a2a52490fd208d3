import { type Command, Option } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { WorkFlags } from "../queue/work.ts";
import type { Session } from "../terminal.ts";
import { addServiceOptions, finishCommand, once, queueHelp, serviceHelp } from "./finish-command.ts";

const workHelp = `
A worker generates the documents of all runs of a queue. Start one on each machine,
in as many processes as you like; --out leads to a disk that all of them share. A
job of a worker that was killed is done by another. Ctrl-C lets what is in flight be
finished; pressed again, it stops at once, and another worker does the rest.
${queueHelp}${serviceHelp}
Examples:
  template-pdf work --queue redis://localhost:6379 --out "out/{{invoice_no}}.pdf"
  template-pdf work --out "/mnt/out/{{no}}.pdf" --concurrency 32 --name payslips
${exitCodesHelp.work}`;

/** Adds `work` to the program. */
export function addWork(program: Command, session: Session): void {
  const command = program
    .command("work")
    .description("Generates the documents of a queue, as one of many workers.")
    .addOption(
      new Option("--out <pattern>", 'the path of each document, such as "out/{{invoice_no}}.pdf"')
        .argParser(once("--out", "work"))
        .makeOptionMandatory(),
    );
  const take = (option: string, description: string) =>
    command.option(option, description, once(option.replace(/ .*/, ""), "work"));
  take("--queue <url>", "where the queue is (default: TEMPLATE_PDF_QUEUE_URL)");
  take("--name <name>", "the name of the queue (default: template-pdf)");
  take("--concurrency <count>", "how many documents at once (default: 16)");
  take("--per-second <count>", "the most requests a second of all workers together; the queue keeps it");
  take("--give-up-after <duration>", "how long to wait for a service that is away (default: 15m)");
  take("--base-url <url>", "where the service lives, such as https://pdf.example.com");
  take("--timeout <duration>", "how long one document may take: 30s, 500ms, 2m (default: 600s)");
  command.action(async (flags: WorkFlags) => {
    const { work } = await import("../queue/work.ts");
    await work(flags, session);
  });
  addServiceOptions(command);
  finishCommand(command, workHelp);
}
