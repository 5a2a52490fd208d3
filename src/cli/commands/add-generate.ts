import { type Command, Option } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { GenerateFlags } from "../generate.ts";
import type { Session } from "../terminal.ts";
import { addServiceOptions, collect, finishCommand, once, serviceHelp } from "./finish-command.ts";

const generateHelp = `${serviceHelp}
--set names a member at the top of the values, and its value is always text.
What is nested, a number, true or false goes into --values.

Examples:
  template-pdf generate invoice --values invoice.json --set "date=20 November 2026"
  query | template-pdf generate invoice --values - -o - | lpr
${exitCodesHelp.generate}`;

/** Adds `generate` to the program. */
export function addGenerate(program: Command, session: Session): void {
  const command = program
    .command("generate")
    .description("Generates one PDF from a template and values, and saves it: the whole of it or nothing.")
    .argument("<uid>", "the template, as the dashboard names it")
    .option(
      "--values <file>",
      "JSON file of the values, one object; - reads standard input",
      once("--values", "generate"),
    )
    .option("--set <key=value>", "set one text, on top of --values; may be repeated", collect)
    .option(
      "-o, --output <file>",
      "where to save it; - writes it to standard output (default: <uid>.pdf)",
      once("-o", "generate"),
    )
    .option("--open", "open the saved file")
    .option("--base-url <url>", "where the service lives, such as https://pdf.example.com")
    .addOption(
      new Option("--timeout <duration>", "how long the whole call may take: 30s, 500ms, 2m").default(
        "600s",
        "600s",
      ),
    )
    .action(async (uid: string, flags: GenerateFlags) => {
      const { generate } = await import("../generate.ts");
      await generate(uid, flags, session);
    });
  addServiceOptions(command);
  finishCommand(command, generateHelp);
}
