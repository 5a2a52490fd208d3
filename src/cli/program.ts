import { Command, type CommanderError, Option } from "commander";
import { version } from "../../package.json";
import type { EmulateFlags } from "./emulate.ts";
import { exitCodes, Misuse, QuietEnd } from "./failure.ts";
import type { GenerateFlags } from "./generate.ts";
import type { Output, Session } from "./terminal.ts";
import type { TypesFlags } from "./types.ts";

const exitCodesHelp = `
Exit codes:
  0    done
  1    it was tried and failed: the service, the network, the disk, the time
  2    the command line or its input is wrong, and nothing was sent
  130  stopped by Ctrl-C (143: by SIGTERM); no half of a file is left
  141  nobody reads the output any more`;

const generateHelp = `
The key is read from TEMPLATE_PDF_API_KEY, the base URL from TEMPLATE_PDF_BASE_URL:
in the environment, or else in the file .env of the working directory.

--set names a member at the top of the values, and its value is always text.
What is nested, a number, true or false goes into --values.

Examples:
  template-pdf generate invoice --values invoice.json --set "date=20 November 2026"
  query | template-pdf generate invoice --values - -o - | lpr
${exitCodesHelp}`;

const emulateHelp = `
A rule of --fault is <what> [retry-after <seconds>] [every <n> | first <n> | <p>%],
where <what> is a status such as 429, or html, cut, stall or reset.

Examples:
  template-pdf emulate examples/templates --port 0
  template-pdf emulate --fault "429 retry-after 2 every 10" --latency 200..800

Exit codes:
  0    stopped by Ctrl-C or SIGTERM
  1    it cannot listen there, pdfmake is not installed, or calls had to be cut off
  2    an option, the folder or a template is wrong
  130  stopped by a second Ctrl-C, before every call was answered
  141  nobody reads the output any more`;

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

Exit codes:
  0    done; with --check: the file is as it should be
  1    with --check: the file is missing or stale; else: it could not be written
  2    the command line, a sample or a schema is wrong; nothing was written
  130  stopped by Ctrl-C (143: by SIGTERM); nothing was written
  141  nobody reads the output any more`;

/**
 * Reads a command line, and does what it says.
 *
 * @param argv - the words behind the program's name
 * @throws {Misuse} when it is wrong
 * @throws {QuietEnd} when there was no command, and the help was printed instead
 * @throws what the command throws
 */
export async function readCommandLine(argv: readonly string[], session: Session): Promise<void> {
  try {
    await buildProgram(session).parseAsync(argv, { from: "user" });
  } catch (error) {
    if (error !== answered) throw error;
  }
}

/** Thrown when the help or the version was printed, which was all that was asked for. */
const answered = new QuietEnd(0);

function buildProgram(session: Session): Command {
  const { stdout, stderr } = session.terminal;
  const program = new Command("template-pdf")
    .description("Generates PDFs from the templates of the Template PDF Generation Service.")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      // Told by whoever catches it, on one line.
      outputError: () => {},
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    })
    // Else `--set --version` would print the version.
    .enablePositionalOptions()
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", exitCodesHelp);
  finish(program);
  addGenerate(program, session);
  addEmulate(program, session);
  addTypes(program, session);
  return program;
}

function addGenerate(program: Command, session: Session): void {
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
    .option("--no-retry", "try once, where every render is paid for")
    .option("--allow-insecure-http", "send the key over http:// to another machine")
    .addOption(new Option("--api-key [key]").hideHelp())
    .addOption(new Option("--key [key]").hideHelp())
    .addHelpText("after", generateHelp)
    .action(async (uid: string, flags: GenerateFlags) => {
      const { generate } = await import("./generate.ts");
      await generate(uid, flags, session);
    });
  finish(command);
}

function addEmulate(program: Command, session: Session): void {
  const command = program
    .command("emulate")
    .description("Runs the service on this machine: real PDFs from template files, rendered by pdfmake.")
    .argument("[folder]", "the folder of the templates (default: templates)")
    .addOption(
      new Option("--port <port>", "the port to listen on; 0 takes a free one").default("4010", "4010"),
    )
    .option("--host <address>", "the address to listen on (default: 127.0.0.1, for this machine only)")
    .option("--key <key>", "a key that may call; may be repeated (default: a random one)", collect)
    .option("--images <folder>", "the folder of the pictures that templates may show")
    .option("--fonts <folder>", "the folder of the fonts that templates may use, beside Roboto")
    .option("--fault <rule>", "let calls go wrong on purpose; may be repeated", collect)
    .option("--latency <delay>", "let every call wait, in milliseconds: 500, or a range such as 200..800")
    .addHelpText("after", emulateHelp)
    .action(async (folder: string | undefined, flags: EmulateFlags) => {
      const { emulate } = await import("./emulate.ts");
      await emulate(folder ?? "templates", flags, session);
    });
  finish(command);
}

function addTypes(program: Command, session: Session): void {
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
    .addHelpText("after", typesHelp)
    .action(async (samples: string[], flags: TypesFlags) => {
      const { types } = await import("./types.ts");
      await types(samples, flags, session);
    });
  finish(command);
}

/** What every command has. */
function finish(command: Command): void {
  const words = command.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  command
    .option("--debug", "print everything that is known of an error")
    .helpOption("-h, --help", "print this help")
    .exitOverride((error) => end(error, words));
}

function end({ code, exitCode, message }: CommanderError, words: string): never {
  if (exitCode === 0) throw answered;
  if (code === "commander.help") throw new QuietEnd(exitCodes.misused);
  throw new Misuse(`${sentencesOf(message)} See ${words} --help.`);
}

/** Makes commander's message our own, without what stands behind a wrong option: it may be a key. */
function sentencesOf(message: string): string {
  const [first = "", suggestion] = message
    .replace(/^error: /, "")
    .replace(/^option '(-\S+?)(?:, \S+)? <(.+)>' argument missing$/, nothingBehind)
    .replace(/(unknown option '(?:--[^=']*|-[^-]))[\s\S]*'/, "$1'")
    .split(/\n(?=\(Did you mean )/);
  const text = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, "");
  return suggestion === undefined ? `${text}.` : `${text}. ${suggestion.slice(1, -1)}`;
}

function nothingBehind(_message: string, option: string, what: string): string {
  return `${option} takes ${/^[aeio]/.test(what) ? "an" : "a"} ${what}; nothing stands behind it`;
}

/** Reads an option of which two would mean that one is dropped without a word. */
function once(option: string, command: string): (value: string, before: string | undefined) => string {
  return (value, before) => {
    if (before === undefined) return value;
    throw new Misuse(`${option} may be given only once. See template-pdf ${command} --help.`);
  };
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function widthOf({ isTTY, columns }: Output): number {
  return (isTTY && columns) || 80;
}
