import type { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { McpFlags } from "../mcp.ts";
import type { Session } from "../terminal.ts";
import { addServiceOptions, collect, finishCommand, serviceHelp, takeOnce } from "./finish-command.ts";

const mcpHelp = `
A client, such as an editor or a chat, starts this command and offers its tools to a
language model: one tool for each template. Documents are saved in the folder of
--out, and never replace a file without --force.

With --emulate, no account is needed. The model can also check and read the templates
in the folder. The command requires the @modelcontextprotocol/sdk package, --emulate
requires pdfmake, and --preview requires pdfjs-dist.

With --port, the server uses Streamable HTTP on 127.0.0.1. Clients send the token as
a bearer token. It comes from TEMPLATE_PDF_MCP_TOKEN. Without this variable, the
token is random, and the command prints it to standard error.
${serviceHelp}
Examples:
  template-pdf mcp --templates samples/ --out pdfs
  template-pdf mcp --emulate templates/ --preview
  template-pdf mcp --any-template --port 4020
${exitCodesHelp.mcp}`;

/** Adds `mcp` to the program. */
export function addMcp(program: Command, session: Session): void {
  const command = program
    .command("mcp")
    .description("Runs a server for the Model Context Protocol, which offers templates as tools.")
    .option(
      "--templates <path>",
      "samples, schemas or template files, as for the types command; repeatable",
      collect,
    );
  const take = takeOnce(command);
  take("--emulate <folder>", "use the emulator with the templates in this folder instead of the service");
  take("--images <folder>", "the folder with images for templates; only with --emulate");
  take("--fonts <folder>", "the folder with fonts for templates; only with --emulate");
  command.option("--any-template", "also offer a tool for templates that the server does not know");
  take("--out <folder>", "the folder for the documents (default: pdfs)");
  command.option("--force", "replace the earlier document of a template");
  command.option("--preview", "also return the first page as a picture");
  take("--limit <count>", "the maximum number of documents (default: 1000)");
  take(
    "--port <port>",
    "use HTTP on this port of 127.0.0.1 instead of standard input and output; 0 selects a free one",
  );
  take("--base-url <url>", "the base URL of the service, such as https://pdf.example.com");
  take("--timeout <duration>", "the timeout for one document, such as 30s, 500ms or 2m (default: 600s)");
  command.action(async (flags: McpFlags) => {
    const { mcp } = await import("../mcp.ts");
    await mcp(flags, session);
  });
  addServiceOptions(command);
  finishCommand(command, mcpHelp);
}
