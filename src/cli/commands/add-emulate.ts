import { type Command, Option } from "commander";
import type { EmulateFlags } from "../emulate.ts";
import { exitCodesHelp } from "../exit-codes.ts";
import type { Session } from "../terminal.ts";
import { collect, finishCommand } from "./finish-command.ts";

const emulateHelp = `
A --fault rule is <what> [retry-after <seconds>] [every <n> | first <n> | <p>%].
<what> is a status such as 429, or one of these words:

  html   a login page instead of the document
  cut    a truncated document
  stall  a document that stalls in the middle
  text   a document that was decoded as text on its way
  reset  a connection that is reset before a response

Examples:
  template-pdf emulate --init --open
  template-pdf emulate examples/templates --port 0
  template-pdf emulate --fault "429 retry-after 2 every 10" --latency 200..800
${exitCodesHelp.emulate}`;

/** Adds `emulate` to the program. */
export function addEmulate(program: Command, session: Session): void {
  const command = program
    .command("emulate")
    .description(
      "Runs an emulator of the service on this machine. The emulator renders real PDFs from template files with pdfmake.",
    )
    .argument("[folder]", "the folder with the templates (default: templates)")
    .addOption(
      new Option("--port <port>", "the port to listen on; 0 selects a free one").default("4010", "4010"),
    )
    .option("--host <address>", "the address to listen on (default: 127.0.0.1, for this machine only)")
    .option("--allow-host <name>", "accept requests for this host name; repeatable", collect)
    .option("--key <key>", "accept this API key; repeatable (default: one random key)", collect)
    .option("--images <folder>", "the folder with images for templates")
    .option("--fonts <folder>", "the folder with fonts for templates, in addition to Roboto")
    .option("--fault <rule>", "make calls fail on purpose; repeatable", collect)
    .option(
      "--latency <delay>",
      "delay every call by this many milliseconds: 500, or a range such as 200..800",
    )
    .option(
      "--strict",
      "refuse a document that does not show all its text with 422, instead of logging a warning",
    )
    .option("--init", "create the template invoice.json in the folder if it does not exist")
    .option("--no-ui", "disable the playground at the base URL")
    .option("--open", "open the playground in the browser")
    .action(async (folder: string | undefined, flags: EmulateFlags) => {
      const { emulate } = await import("../emulate.ts");
      await emulate(folder ?? "templates", flags, session);
    });
  finishCommand(command, emulateHelp);
}
