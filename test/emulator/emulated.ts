import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { templateFolder, writeFiles } from "./template-folder.ts";

/** An emulator with one rendering thread that all tests of a file share, because its start takes longer than most tests. */
export interface SharedEmulator extends Pick<Emulator, "baseUrl" | "apiKey" | "templates"> {
  /** The folder that contains `templates/` and the other files. */
  readonly folder: string;
  /** The arguments of `onError`, in order. */
  readonly errors: Error[];
}

/** @param files - templates by name; `../images/a.png` is a file next to their folder */
export function shareEmulator(
  files: Record<string, string | Uint8Array>,
  options: (folder: string) => Partial<EmulatorOptions> = () => ({}),
): SharedEmulator {
  const folder = mkdtempSync(join(tmpdir(), "template-pdf-"));
  const errors: Error[] = [];
  const shared = { folder, errors } as unknown as SharedEmulator;
  let emulator: Emulator | undefined;
  beforeAll(async () => {
    const templates = join(folder, "templates");
    await writeFiles(templates, files);
    const own = options(folder);
    const limits = { threads: 1, ...own.limits };
    const onError = (error: unknown) => void errors.push(error as Error);
    emulator = await startEmulator({ templates, onError, ...own, limits });
    Object.assign(shared, emulator);
  });
  afterAll(async () => {
    await emulator?.close().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  });
  return shared;
}

/** Starts an emulator for template files, or for an existing folder, that closes when the test has finished. */
export async function emulate(
  files: Record<string, string> | string,
  options: Partial<EmulatorOptions> = {},
): Promise<Emulator> {
  const templates = typeof files === "string" ? files : await templateFolder(files);
  const emulator = await startEmulator({ templates, ...options });
  onTestFinished(() => emulator.close().catch(() => {}));
  return emulator;
}

/** Sends one call of the API with plain `fetch`. */
export function generate(
  { baseUrl, apiKey }: Pick<Emulator, "baseUrl" | "apiKey">,
  uid: string,
  values: object = {},
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${baseUrl}/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`, {
    method: "POST",
    headers: { authorization: `API-Key ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(values),
    ...init,
  });
}

/** Returns the text of the document, or the status of an error response. */
export async function textOf(
  emulator: Pick<Emulator, "baseUrl" | "apiKey">,
  uid: string,
  values: object = {},
): Promise<string | number> {
  const response = await generate(emulator, uid, values);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return response.status === 200 ? (await readPdf(bytes)).text : response.status;
}
