import type { Command } from "commander";
import type { BulkFlags } from "../bulk/plan.ts";
import { exitCodesHelp } from "../exit-codes.ts";
import { Misuse } from "../failure.ts";
import type { AddRowsFlags } from "../queue/add-rows.ts";
import type { Session } from "../terminal.ts";
import { addServiceOptions, finishCommand, serviceHelp, takeOnce } from "./finish-command.ts";

const bulkHelp = `
Each row becomes a document. The columns or properties of the row supply the values
for the template. The path in --out can use the same values:
"out/{{invoice_no}}.pdf". The command checks all rows before it sends the first
request.

A journal records finished rows. To continue an interrupted run, or to generate rows
that have changed, run the same command again. Ctrl-C finishes the documents in
flight and stops the run. Press Ctrl-C again to cancel these documents.

If the service is unavailable, the run waits until the service is available again.

With --queue, the command only adds the rows to a queue in Redis. Workers generate
the documents on any number of machines: see template-pdf work --help. Rows that the
run already contains are skipped. With --queue, exit code 1 means that Redis is
unreachable or that invalid rows were skipped.
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
    .description("Generates a PDF from each row of a file. Can resume an interrupted run.")
    .argument("<uid>", "the template uid from the dashboard")
    .argument(
      "<data>",
      "the file with the rows: .csv or .tsv with a header, .ndjson or .json; - for standard input",
    );
  const take = takeOnce(command);
  take(
    "--out <pattern>",
    'the path of each document, such as "out/{{invoice_no}}.pdf"; required without --queue',
  );
  take(
    "--schema <file>",
    "check rows, and read cells of CSV, with a JSON Schema or a module that exports a Standard Schema",
  );
  take("--format <format>", "csv, ndjson or json (default: inferred from the file name)");
  take("--encoding <label>", "the encoding of the data, such as windows-1252 (default: UTF-8)");
  take(
    "--delimiter <character>",
    "the CSV delimiter (default: a tab in .tsv, otherwise detected from the header)",
  );
  command.option("--trim", "remove white space around the names and cells of CSV");
  take(
    "--concurrency <count>",
    "the maximum number of documents in flight, or auto to adapt to the service (default: auto)",
  );
  take("--per-second <count>", "the maximum number of requests per second");
  take("--required <names>", "refuse rows in which one of these values is empty, such as name,net");
  take("--limit <count>", "generate only the first <count> rows");
  take("--stop-after <count>", "stop after this number of failures");
  take("--give-up-after <duration>", "stop if the service is unavailable for this long (default: 15m)");
  command.option("--dry-run", "check all rows, and send nothing");
  command.option("--skip-invalid", "skip invalid rows, and list them in the report");
  take(
    "--journal <file>",
    "the file that records finished rows (default: <uid>.journal in the folder of --out)",
  );
  command.option("--fresh", "start over, and rename the existing journal to <journal>.old");
  take("--report <file>", "write the result of every row to a .json or .csv file");
  take(
    "--queue [url]",
    "add the rows to this queue instead of generating documents (default: TEMPLATE_PDF_QUEUE_URL)",
  );
  take("--run <run>", "the name of the run in the queue; required with --queue");
  take("--name <name>", "the name of the queue; only with --queue (default: template-pdf)");
  take(
    "--not-before <time>",
    "when workers may begin the rows, such as 2026-11-30T06:00Z; only with --queue",
  );
  take("--base-url <url>", "the base URL of the service, such as https://pdf.example.com");
  take("--timeout <duration>", "the timeout for one document, such as 30s, 500ms or 2m (default: 600s)");
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

/** @throws {Misuse} if a required option is missing, or an option needs `--queue` */
function checkRunOptions({ out, run, name, notBefore }: Partial<BulkFlags & AddRowsFlags>): void {
  const ofQueue = Object.entries({ "--run": run, "--name": name, "--not-before": notBefore });
  const [option] = ofQueue.find(([, value]) => value !== undefined) ?? [];
  if (option) throw new Misuse(`${option} needs --queue. Add --queue, or leave out ${option}.`);
  if (out === undefined) {
    throw new Misuse("Required option '--out <pattern>' not specified. See template-pdf bulk --help.");
  }
}

/** The options for adding rows to a queue. All others are for generating documents. */
const optionsOfQueue =
  "queue run name notBefore schema format encoding delimiter trim required limit dryRun skipInvalid debug".split(
    " ",
  );

/** @throws {Misuse} if options have no effect with `--queue` */
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
