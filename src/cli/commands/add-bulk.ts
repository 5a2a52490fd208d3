import { type Command, Option } from "commander";
import type { BulkFlags } from "../bulk/plan.ts";
import { exitCodesHelp } from "../exit-codes.ts";
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
${serviceHelp}
Examples:
  template-pdf bulk payslip november.csv --out "payslips/{{employee}}.pdf"
  template-pdf bulk invoice rows.ndjson --out "out/{{no}}.pdf" --dry-run
  query | template-pdf bulk letter - --out "letters/{{id}}.pdf" --report report.csv
${exitCodesHelp.bulk}`;

/** Adds `bulk` to the program. */
export function addBulk(program: Command, session: Session): void {
  const command = program
    .command("bulk")
    .description("Generates a PDF from each row of a file, and goes on where it was stopped.")
    .argument("<uid>", "the template, as the dashboard names it")
    .argument("<data>", "the rows: .csv with a header, .ndjson or .json; - reads standard input")
    .addOption(
      new Option("--out <pattern>", 'the path of each document, such as "out/{{invoice_no}}.pdf"')
        .argParser(once("--out", "bulk"))
        .makeOptionMandatory(),
    );
  const take = (option: string, description: string) =>
    command.option(option, description, once(option.replace(/ .*/, ""), "bulk"));
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
  take("--base-url <url>", "where the service lives, such as https://pdf.example.com");
  take("--timeout <duration>", "how long one document may take: 30s, 500ms, 2m (default: 600s)");
  command.action(async (uid: string, data: string, flags: BulkFlags) => {
    const { bulk } = await import("../bulk.ts");
    await bulk(uid, data, flags, session);
  });
  addServiceOptions(command);
  finishCommand(command, bulkHelp);
}
