import { readFile } from "node:fs/promises";
import { Draft } from "./draft.ts";
import { findTarget, writeFailure } from "./write-target.ts";

/**
 * Reads the file that stands where one is to be written.
 *
 * @returns its text, without a byte order mark and with line feeds alone at the ends of lines; nothing where there is no file
 * @throws {Failure} when it cannot be read
 */
export async function readWritten(path: string): Promise<string | undefined> {
  try {
    const found = await findTarget(path);
    // What is no regular file, such as /dev/null, has nothing that could be lost.
    if (found.mode === undefined || !found.isFile) return undefined;
    return (await readFile(found.path, "utf8")).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  } catch (error) {
    throw writeFailure(path, error);
  }
}

/**
 * Writes a file: the whole of it or nothing. Links are followed, and its mode is kept.
 *
 * @throws {Failure} when it cannot be written
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const draft = await Draft.open(path);
  await draft.append(text);
  await draft.finish();
}
