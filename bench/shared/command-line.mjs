// @ts-check
import { parseArgs } from "node:util";

/**
 * What a program is told on its command line. `--help` prints the usage and ends the process; what cannot be read ends
 * it with 2 and one line that says why.
 *
 * @template T
 * @param {string} usage
 * @param {(args: string[]) => T} read - throws when something is wrong
 * @returns {T}
 */
export function readCommandLine(usage, read) {
  const args = process.argv.slice(2);
  if (args.includes("--help")) {
    console.log(usage);
    process.exit();
  }
  try {
    return read(args);
  } catch (error) {
    // Node goes on about arguments that begin with a dash, of which no program here has any.
    const [reason] = String(error instanceof Error ? error.message : error).split(/\.?\n|\. To specify |\.$/);
    console.error(`${reason}; --help tells what there is.`);
    process.exit(2);
  }
}

/**
 * The arguments of a program that has no options.
 *
 * @param {string[]} args
 * @param {number} atMost
 * @returns {string[]}
 */
export function argumentsOf(args, atMost) {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  if (positionals.length > atMost) throw new Error(`"${positionals[atMost]}" is one argument too many.`);
  return positionals;
}

/**
 * @param {string} name - of the argument
 * @param {string} text
 * @param {number} [least]
 * @returns {number}
 */
export function wholeNumber(name, text, least = 1) {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least) {
    throw new Error(`${name} is a whole number of at least ${least}, not "${text}".`);
  }
  return number;
}
