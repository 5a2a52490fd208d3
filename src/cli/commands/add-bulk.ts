import type { Command } from "commander";
import type { BulkFlags } from "../bulk/plan.ts";
import { exitCodesHelp } from "../exit-codes.ts";
import { Misuse } from "../failure.ts";
import type { AddRowsFlags } from "../queue/add-rows.ts";
import type { Session } from "../terminal.ts";
import { addServiceOptions, finishCommand, once, serviceHelp } from "./finish-command.ts";

const bulkHelp = `
Every row of the data becomes a document; its columns, or members, are the
values of the template. All rows are checked before the first document is asked
for. The path of --out is made of them, too: "out/{{invoice_no}}.pdf".

A journal notes what is finished: the same command, run again, goes on where it
was stopped, and makes anew what has changed. Ctrl-C lets what is in hand be
finished; pressed again, it gives that up.

While the service is away, the run waits, and goes on by itself.

With --queue, the rows that are good are only added to a queue in Redis, and
template-pdf work generates their documents, on as many machines as you like.
Rows that the run has already are not added again. The exit code is 1 then if Redis
cannot be reached, or rows were left out. See template-pdf work --help.
${serviceHelp}
Examples:
  template-pdf bulk payslip november.csv --out "payslips/{{employee}}.pdf"
  template-pdf bulk invoice rows.ndjson --out "out/{{no}}.pdf" --dry-run
  query | template-pdf bulk letter - --out "letters/{{id}}.pdf" --report report.csv
  template-pdf bulk invoice rows.csv --queue redis://localhost:6379 --run 2026-11
${exitCodesHelp.bulk}`;

/** Adds `bulk` to the program. */
export function addBulk(program: Command, session: Session): void {
  const command = program
    .command("bulk")
    .description("Generates a PDF from each row of a file, and goes on where it was stopped.")
    .argument("<uid>", "the template, as the dashboard names it")
    .argument("<data>", "the rows: .csv with a header, .ndjson or .json; - reads standard input");
  const take = (option: string, description: string) =>
    command.option(option, description, once(option.replace(/ .*/, ""), "bulk"));
  take(
    "--out <pattern>",
    'the path of each document, such as "out/{{invoice_no}}.pdf"; required without --queue',
  );
  take("--schema <file>", "check every row by it: a JSON Schema, or a module of zod and the like");
  take("--format <format>", "csv, ndjson or json (default: as the file is named)");
  take("--encoding <label>", "of the data, such as windows-1252 (default: UTF-8)");
  take("--delimiter <character>", "between the cells of CSV (default: as the header has it)");
  take("--concurrency <count>", "how many documents at once, or auto, which finds it out (default: auto)");
  take("--per-second <count>", "the most requests a second");
  take("--limit <count>", "only the first rows, so many");
  take("--stop-after <count>", "stop after so many failures");
  take("--give-up-after <duration>", "how long to wait for a service that is away (default: 15m)");
  command.option("--dry-run", "check everything, list what is wrong, and send nothing");
  command.option("--skip-invalid", "leave out rows that are wrong, and list them in the report");
  take("--journal <file>", "what is finished (default: <uid>.journal in the folder of --out)");
  command.option("--fresh", "start over; an old journal is put aside as .old");
  take("--report <file>", "write what became of every row to a .json or .csv file");
  take("--queue [url]", "add the rows to this queue (default: TEMPLATE_PDF_QUEUE_URL)");
  take("--run <run>", "the name of the run that the rows are added to, with --queue");
  take("--name <name>", "the name of the queue, with --queue (default: template-pdf)");
  take("--base-url <url>", "where the service lives, such as https://pdf.example.com");
  take("--timeout <duration>", "how long one document may take: 30s, 500ms, 2m (default: 600s)");
  command.action(async (uid: string, data: string, flags: BulkFlags & AddRowsFlags) => {
    if (flags.queue === undefined) {
      checkRunOptions(flags);
      const { bulk } = await import("../bulk.ts");
      await bulk(uid, data, flags, session);
    } else {
      refuseOptions(command);
      const { addRows } = await import("../queue/add-rows.ts");
      await addRows(uid, data, flags, session);
    }
  });
  addServiceOptions(command);
  finishCommand(command, bulkHelp);
}

/** @throws {Misuse} if an option is missing that a run needs, or one is there that only a queue has */
function checkRunOptions({ out, run, name }: Partial<BulkFlags & AddRowsFlags>): void {
  if (run !== undefined || name !== undefined) {
    const option = run === undefined ? "--name" : "--run";
    throw new Misuse(`${option} needs --queue. Add --queue, or leave it out.`);
  }
  if (out === undefined) {
    throw new Misuse("Required option '--out <pattern>' not specified. See template-pdf bulk --help.");
  }
}

/** The options that say something about adding rows to a queue. All others are about generating documents. */
const optionsOfQueue = "queue run name schema format encoding delimiter limit dryRun skipInvalid debug".split(
  " ",
);

/** @throws {Misuse} if there are options that do nothing with `--queue` */
function refuseOptions(command: Command): void {
  const refused = command.options
    .filter((option) => !optionsOfQueue.includes(option.attributeName()))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .map(({ long }) => long);
  if (refused.length === 0) return;
  const names = [refused.slice(0, -1).join(", "), refused.at(-1)].filter(Boolean).join(" and ");
  throw new Misuse(
    `--queue only adds rows to a queue and cannot be combined with ${names}. Workers generate the documents.`,
  );
}
