import type { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { Session } from "../terminal.ts";
import type { TypesFlags } from "../types.ts";
import { finishCommand, once } from "./finish-command.ts";

const typesHelp = `
The uid is the file name up to its first dot: invoice.json and invoice.2.json are
samples for the invoice template. Use uid=path for another uid. If you pass a
folder, the command reads the files in that folder.

File types:
  .json            a sample, an array of samples, a JSON Schema, or an emulator
                   template that contains a schema or a sample
  .schema.json     a JSON Schema
  .ndjson, .jsonl  a sample on each line; files may be of any size
  .mjs, .ts        an emulator template that exports a schema or a sample

In the types, a property is optional if some samples do not have that property.

Examples:
  template-pdf types invoice.json credit-note.ndjson
  template-pdf types samples/ templates/ --zod -o src/pdf-templates.ts
  template-pdf types inv.2024=sample.json --check
${exitCodesHelp.types}`;

/** Adds `types` to the program. */
export function addTypes(program: Command, session: Session): void {
  const command = program
    .command("types")
    .description("Writes TypeScript types for templates, from sample values or schemas.")
    .argument("<samples...>", "files or folders; write uid=path to set the uid")
    .option(
      "-o, --output <file>",
      "the file to write; - for standard output (default: pdf-templates.ts)",
      once("-o", "types"),
    )
    .option("--zod", "also write zod schemas, which check values at run time")
    .option("--check", "write nothing; fail if the file is missing or outdated")
    .option("--force", "overwrite a file that this command did not write")
    .action(async (samples: string[], flags: TypesFlags) => {
      const { types } = await import("../types.ts");
      await types(samples, flags, session);
    });
  finishCommand(command, typesHelp);
}
