import type { Command, CommanderError } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { Misuse, QuietEnd } from "../failure.ts";

/** Thrown when the help or the version was printed, which was all that was asked for. */
export const answered = new QuietEnd(exitCodes.done);

/** What every command has. */
export function finishCommand(command: Command): void {
  const words = command.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  command
    .option("--debug", "print everything that is known of an error")
    .helpOption("-h, --help", "print this help")
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
