import type { Command } from "commander";
import { exitCodesHelp } from "../exit-codes.ts";
import type { Session } from "../terminal.ts";
import type { TypesFlags } from "../types.ts";
import { finishCommand, once } from "./finish-command.ts";

const typesHelp = `
The name of a file up to its first dot is the uid: invoice.json and invoice.2.json
are samples of the template invoice. uid=path names it otherwise. A folder stands
for the files in it.

What a file is, its content tells:
  .json            a sample, an array of samples, a JSON Schema, or a template
                   of the emulator, which holds a schema or a sample
  .schema.json     a JSON Schema, whatever it looks like
  .ndjson, .jsonl  a sample on each line; read piece by piece, however long it is
  .mjs, .ts        a template of the emulator, which exports a schema or a sample

A member is optional where one sample has it and another has not.

Examples:
  template-pdf types invoice.json credit-note.ndjson
  template-pdf types samples/ templates/ --zod -o src/pdf-templates.ts
  template-pdf types inv.2024=sample.json --check
${exitCodesHelp.types}`;

/** Adds `types` to the program. */
export function addTypes(program: Command, session: Session): void {
  const command = program
    .command("types")
    .description("Writes TypeScript types of templates, from samples of their values or from schemas.")
    .argument("<samples...>", "files or folders, each alone or as uid=path")
    .option(
      "-o, --output <file>",
      "where to write them; - writes to standard output (default: pdf-templates.ts)",
      once("-o", "types"),
    )
    .option("--zod", "write zod schemas, too, which check values when the program runs")
    .option("--check", "write nothing; fail where the file is missing or stale")
    .option("--force", "overwrite a file that this command did not write")
    .action(async (samples: string[], flags: TypesFlags) => {
      const { types } = await import("../types.ts");
      await types(samples, flags, session);
    });
  finishCommand(command, typesHelp);
}
