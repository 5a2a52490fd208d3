import { type Command, Option } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { GenerateFlags } from "../generate.ts";
import type { Session } from "../terminal.ts";
import { addServiceOptions, collect, finishCommand, once, serviceHelp } from "./finish-command.ts";

const generateHelp = `${serviceHelp}
--set sets a top-level property of the values to a string. Use --values for nested
properties, numbers and booleans.

Examples:
  template-pdf generate invoice --values invoice.json --set "date=20 November 2026"
  query | template-pdf generate invoice --values - -o - | lpr
${exitCodesHelp.generate}`;

/** Adds `generate` to the program. */
export function addGenerate(program: Command, session: Session): void {
  const command = program
    .command("generate")
    .description("Generates one PDF from a template and values, and saves it completely or not at all.")
    .argument("<uid>", "the template uid from the dashboard")
    .option(
      "--values <file>",
      "a JSON file that contains one object with the values; - for standard input",
      once("--values", "generate"),
    )
    .option("--set <key=value>", "set a string value, in addition to --values; repeatable", collect)
    .option(
      "-o, --output <file>",
      "the file to write; - for standard output (default: <uid>.pdf)",
      once("-o", "generate"),
    )
    .option("--open", "open the saved file")
    .option("--base-url <url>", "the base URL of the service, such as https://pdf.example.com")
    .addOption(
      new Option("--timeout <duration>", "the timeout for the whole call, such as 30s, 500ms or 2m").default(
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
