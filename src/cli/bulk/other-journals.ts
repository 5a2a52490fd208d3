import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { journalOpening } from "../../bulk/journal/journal-format.ts";
import { openFile } from "../../files/read-file.ts";
import { Misuse } from "../failure.ts";
import type { BulkFlags, BulkPlan } from "./plan.ts";

/**
 * Refuses to create a journal next to that of another template, because the run could replace documents of that template.
 *
 * @throws {Misuse} if no journal was named, and the folder contains only journals of other templates
 */
export async function refuseOtherJournals(
  { uid, folder, journal }: BulkPlan,
  flags: BulkFlags,
): Promise<void> {
  if (flags.journal !== undefined || (await stat(journal).catch(() => undefined))) return;
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.endsWith(".journal") || !(await isJournal(join(folder, name)))) continue;
    throw new Misuse(
      `${join(folder, name)} belongs to another run in this folder, and documents for ${uid} could overwrite the documents of that run. ` +
        `Use another folder for --out. If the two runs never write to the same path, add --journal ${join(folder, basename(journal))} instead.`,
    );
  }
}

async function isJournal(path: string): Promise<boolean> {
  const file = await openFile(path).catch(() => undefined);
  try {
    const { buffer, bytesRead } = (await file?.read({ length: journalOpening.length })) ?? {};
    return buffer?.toString("latin1", 0, bytesRead) === journalOpening;
  } finally {
    await file?.close();
  }
}
