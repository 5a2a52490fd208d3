import { type Command, type CommanderError, Option } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { Misuse, QuietEnd } from "../failure.ts";

/** Thrown when the help or the version was printed, which was all that was asked for. */
export const answered = new QuietEnd(exitCodes.done);

/** Where the commands that call the service find it, for their `--help`. */
export const serviceHelp = `
The key is read from TEMPLATE_PDF_API_KEY, the base URL from TEMPLATE_PDF_BASE_URL:
in the environment, or else in the file .env of the working directory. A key
from the environment is sent to a base URL from that file only if the file has
the same key.
`;

/** Where the commands with a queue find it, for their `--help`. */
export const queueHelp = `
The queue is in Redis or Valkey: --queue redis://localhost:6379, or with TLS
rediss://user:password@host:6379. Put a URL with a password into the environment,
as TEMPLATE_PDF_QUEUE_URL: a command line can be seen by all users of the machine.
If TEMPLATE_PDF_QUEUE_KEY is set, the base64 of 32 bytes, the values in Redis are
sealed with it; all machines need the same. Neither is ever printed. The packages
bullmq and ioredis have to be installed.
`;

/** What every command has that calls the service. */
export function addServiceOptions(command: Command): void {
  command
    .option("--no-retry", "try once, where every render is paid for")
    .option("--allow-insecure-http", "send the key over http:// to another machine")
    // Known only to be refused: else a key would be taken for the uid, and shown.
    .addOption(new Option("--api-key [key]").hideHelp())
    .addOption(new Option("--key [key]").hideHelp())
    .on("option:api-key", refuseKey)
    .on("option:key", refuseKey);
}

function refuseKey(): never {
  throw new Misuse(
    "The API key cannot be passed on the command line, because other users of this machine and the shell history could see it. " +
      "Set TEMPLATE_PDF_API_KEY=… in the environment or in the file .env in this folder.",
  );
}

/**
 * What every command has.
 *
 * @param help - what stands below its options
 */
export function finishCommand(command: Command, help: string): void {
  const words = command.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  command
    .option("--debug", "print everything that is known of an error")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", help)
    .exitOverride((error) => end(error, words));
}

function end({ code, exitCode, message }: CommanderError, words: string): never {
  if (exitCode === exitCodes.done) throw answered;
  if (code === "commander.help") throw new QuietEnd(exitCodes.misused);
  throw new Misuse(`${sentencesOf(message)} See ${words} --help.`);
}

/** Makes commander's message our own, without what stands behind a wrong option: it may be a key. */
function sentencesOf(message: string): string {
  const [first = "", suggestion] = message
    .replace(/^error: /, "")
    .replace(/^option '(-\S+?)(?:, \S+)? <(.+)>' argument missing$/, nothingBehind)
    .replace(/^(unknown option '(?:--[^=']*(?=[='])|-[^-]))[\s\S]*'/, "$1'")
    .split(/\n(?=\(Did you mean )/);
  const text = first.charAt(0).toUpperCase() + first.slice(1).replace(/\.$/, "");
  return suggestion === undefined ? `${text}.` : `${text}. ${suggestion.slice(1, -1)}`;
}

function nothingBehind(_message: string, option: string, what: string): string {
  return `${option} takes ${/^[aeio]/.test(what) ? "an" : "a"} ${what}; nothing stands behind it`;
}

/** Reads an option of which two would mean that one is dropped without a word. */
export function once(option: string, command: string): (value: string, before: string | undefined) => string {
  return (value, before) => {
    if (before === undefined) return value;
    throw new Misuse(`${option} may be given only once. See template-pdf ${command} --help.`);
  };
}

/** Reads an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
