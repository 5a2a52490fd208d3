import { dirname, resolve } from "node:path";
import { isInstance } from "../errors/foreign-values.ts";
import { NameClash } from "../template-types/names.ts";
import { shapesIn, type TemplateShape } from "../template-types/shape.ts";
import { signature, writeTypes } from "../template-types/write-types.ts";
import { ignoredByZod } from "../template-types/zod-text.ts";
import { Failure, Misuse } from "./failure.ts";
import { divertStdout } from "./load-module.ts";
import { isStdout, printable, write } from "./output.ts";
import { OutputFile, readExisting } from "./output-file.ts";
import { quotedWord } from "./quoted-word.ts";
import type { Session } from "./terminal.ts";
import { describeDifferences } from "./types/differences.ts";
import { askAboutNumbers, warnOfCommonJs } from "./types/doubts.ts";
import { readJson } from "./types/read-json.ts";
import { readLines } from "./types/read-lines.ts";
import { readModule } from "./types/read-module.ts";
import { expandWord, findSampleFiles, type SampleFile } from "./types/sample-file.ts";
import type { Collection } from "./types/template-samples.ts";

/** Command-line options for `types`. */
export interface TypesFlags {
  readonly output?: string;
  readonly zod?: boolean;
  readonly check?: boolean;
  readonly force?: boolean;
}

const defaultOutput = "pdf-templates.ts";

/**
 * Writes the types of templates, which it derives from samples, schemas and template files.
 *
 * @param words - files and folders, each optionally as `uid=path`
 * @throws {Misuse} if the command line or one of the files is invalid; nothing was written
 * @throws {Failure} if the file is outdated with `--check`, or cannot be written
 * @throws the abort reason of the session's signal
 */
export async function types(words: readonly string[], flags: TypesFlags, session: Session): Promise<void> {
  const { stdout, stderr, platform } = session.terminal;
  const output = flags.output ?? defaultOutput;
  if (output === "") {
    throw new Misuse("-o is empty. Give it a file name, or leave it out.");
  }
  const path = isStdout(output) ? undefined : resolve(output);
  if (path === undefined && flags.check) {
    throw new Misuse(
      "--check compares with a file, but -o - writes to standard output. Give -o a file name, or leave out --check.",
    );
  }
  const written = path === undefined ? undefined : await readExisting(output);
  // Checked before the samples are read, which may take long.
  if (!flags.check && !flags.force) refuseForeignFile(written, output);

  const collection: Collection = new Map();
  const warnings = await divertStdout(() => readAll(words, collection, session));
  const templates = [...collection.values()];
  warnings.push(...templates.flatMap((found) => found.warnings()));
  const folder = path === undefined ? resolve() : dirname(path);
  const shapes = templates.map((found) => found.describe(folder));
  if (flags.zod) warnings.push(...shapes.filter(hasIgnored).map(warnOfIgnored));
  if (path !== undefined) warnings.push(...(await warnOfCommonJs(folder, output)));
  for (const warning of warnings) {
    stderr.write(`template-pdf: warning: ${printable(warning)}\n`);
  }
  const text = writtenTypes(shapes, flags);
  if (path === undefined) return write(stdout, Buffer.from(text), session.signal);

  if (flags.check) {
    if (!flags.zod && written !== text && written === writtenTypes(shapes, { zod: true })) {
      const command = commandOf(words, { ...flags, zod: true }, written, platform);
      throw new Failure(
        `${output} is up to date, but was written with --zod. Add that option: ${command} --check`,
      );
    }
    checkUpToDate(written, text, output, commandOf(words, flags, written, platform));
  }
  session.signal.throwIfAborted();
  if (!flags.check && written !== text) {
    const file = await OutputFile.open(output);
    await file.append(text);
    await file.finish();
  }
  const count = shapes.length;
  stdout.write(`${printable(output)}: ${count} ${count === 1 ? "template" : "templates"}\n`);
}

function writtenTypes(shapes: readonly TemplateShape[], { zod = false }: TypesFlags): string {
  try {
    return writeTypes(shapes, { zod });
  } catch (error) {
    throw isInstance(error, NameClash) ? new Misuse(error.message) : error;
  }
}

function hasIgnored({ shape, definitions }: TemplateShape): boolean {
  const shapes = [shape, ...definitions.values()].flatMap(shapesIn);
  return shapes.some((each) => each.kind === "object" && each.members.has(ignoredByZod));
}

function warnOfIgnored({ uid }: TemplateShape): string {
  return `${uid}: zod ignores the property ${ignoredByZod}, so it is neither checked nor sent. Rename it in the template.`;
}

function refuseForeignFile(written: string | undefined, output: string): void {
  if (written === undefined || isGenerated(written)) return;
  throw new Misuse(
    `${output} was not written by this command and was not changed. Give -o another name, or add --force to overwrite it.`,
  );
}

function isGenerated(written: string): boolean {
  return written.trim() === "" || written.startsWith(signature);
}

/**
 * Reads every file, even if some are invalid, to report all errors together.
 *
 * @param words - files and folders, each optionally as `uid=path`
 * @returns warnings
 * @throws {Misuse} if a file is invalid
 */
export async function readAll(
  words: readonly string[],
  collection: Collection,
  { signal, terminal: { platform } }: Session,
): Promise<string[]> {
  const warnings: string[] = [];
  const problems: string[] = [];
  const seen = new Map<string, SampleFile>();
  const attempt = async <T>(read: () => Promise<T[]>): Promise<T[]> => {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      if (!isInstance(error, Misuse)) throw error;
      problems.push(printable(error.message));
      return [];
    }
  };
  for (const word of words) {
    for (const { name, uid } of await attempt(() => expandWord(word, platform))) {
      for (const file of await attempt(() => findSampleFiles(name, uid))) {
        const key = JSON.stringify([uid, file.path]);
        if (seen.has(key)) continue;
        seen.set(key, file);
        warnings.push(...(await attempt(() => readFile(file, collection, signal))));
      }
    }
  }
  if (problems.length > 0) throw new Misuse(problems.join("\n"));
  return [...warnings, ...askAboutNumbers([...seen.values()])];
}

async function readFile(file: SampleFile, collection: Collection, signal: AbortSignal): Promise<string[]> {
  if (file.kind === "module") return readModule(file, collection, signal);
  if (file.kind === "json") return readJson(file, collection);
  await readLines(file, collection, signal);
  return [];
}

function checkUpToDate(written: string | undefined, text: string, output: string, command: string): void {
  if (written === text) return;
  if (written !== undefined && !isGenerated(written)) {
    throw new Failure(
      `${output} was not written by this command. Give -o another name, or overwrite it: ${command}`,
    );
  }
  const differences = written === undefined ? undefined : describeDifferences(written, text);
  const which = differences === undefined ? "" : `: ${printable(differences)}`;
  const what = written === undefined ? "does not exist" : `is out of date${which}`;
  throw new Failure(`${output} ${what}. Write it: ${command}`);
}

/** Returns the command that writes the file. */
function commandOf(
  words: readonly string[],
  flags: TypesFlags,
  written: string | undefined,
  platform: string,
): string {
  const options = [
    ...(flags.output === undefined ? [] : ["-o", flags.output]),
    ...(flags.zod ? ["--zod"] : []),
    ...(written === undefined || isGenerated(written) ? [] : ["--force"]),
  ];
  return ["npx", "template-pdf", "types", ...words, ...options]
    .map((word) => quotedWord(word, platform))
    .join(" ");
}
