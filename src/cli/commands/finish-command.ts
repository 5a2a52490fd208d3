import { type Command, type CommanderError, Option } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { Misuse, QuietEnd } from "../failure.ts";

/** Thrown to end the command after the help or the version has been printed. */
export const helpPrinted = new QuietEnd(exitCodes.done);

/** The `--help` section of commands that call the service. */
export const serviceHelp = `
The command reads TEMPLATE_PDF_API_KEY and TEMPLATE_PDF_BASE_URL from the
environment, or from the .env file in the working directory. If the base URL comes
from .env, a key from the environment is sent to that URL only if .env contains the
same key, because the folder may belong to someone else.
`;

/** The `--help` section of commands that use a queue. */
export const queueHelp = `
The queue is in Redis or Valkey. Its URL looks like redis://localhost:6379, or
rediss://user:password@host:6379 with TLS. Other users of the machine can see the
command line. If the URL contains a password, set TEMPLATE_PDF_QUEUE_URL in the
environment instead of passing --queue.

TEMPLATE_PDF_QUEUE_KEY is a key (32 bytes, base64-encoded) that encrypts the values
in Redis. All machines need the same key. The command never prints the key or the
password. The queue requires the bullmq and ioredis packages.
`;

/** Adds the options for all commands that call the service. */
export function addServiceOptions(command: Command): void {
  command
    .option("--no-retry", "do not retry failed requests, for example if you pay for every render")
    .option("--allow-insecure-http", "allow sending the API key over http:// to another machine")
    // Defined only to be rejected. Otherwise the key could be read as the uid, and printed.
    .addOption(new Option("--api-key [key]").hideHelp())
    .addOption(new Option("--key [key]").hideHelp())
    .on("option:api-key", refuseKey)
    .on("option:key", refuseKey);
}

function refuseKey(): never {
  throw new Misuse(
    "The API key cannot be passed on the command line, because other users of this machine could see it, and the shell history would record it. " +
      "Set TEMPLATE_PDF_API_KEY=… in the environment or in the .env file in this folder.",
  );
}

/**
 * Adds the options for all commands.
 *
 * @param help - the text below the options
 */
export function finishCommand(command: Command, help: string): void {
  const words = command.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  command
    .option("--debug", "print all details of an error")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", help)
    .exitOverride((error) => end(error, words));
}

function end({ code, exitCode, message }: CommanderError, words: string): never {
  if (exitCode === exitCodes.done) throw helpPrinted;
  if (code === "commander.help") throw new QuietEnd(exitCodes.misused);
  throw new Misuse(`${sentencesOf(message)} See ${words} --help.`);
}

/** Rewrites a commander message without the value of the invalid option, which may be a key. */
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
  return `${option} takes ${/^[aeio]/.test(what) ? "an" : "a"} ${what}; the value is missing`;
}

/** Reads an option that may be given only once, so that no value is ignored silently. */
export function once(option: string, command: string): (value: string, before: string | undefined) => string {
  return (value, before) => {
    if (before === undefined) return value;
    throw new Misuse(`${option} may be given only once. See template-pdf ${command} --help.`);
  };
}

/** Returns a function that adds options that may be given only once. */
export function takeOnce(command: Command): (option: string, description: string) => Command {
  return (option, description) =>
    command.option(option, description, once(option.replace(/ .*/, ""), command.name()));
}

/** Reads an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
