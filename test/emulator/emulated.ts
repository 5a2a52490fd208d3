import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { makeTemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A PNG of one pixel in base64. */
export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** What a call needs. */
type Reachable = Pick<Emulator, "baseUrl" | "apiKey">;

/** An emulator with one rendering thread that all tests of a file share, because its start takes longer than most tests. */
export interface SharedEmulator extends Reachable, Pick<Emulator, "templates"> {
  /** The folder that contains `templates/` and the other files. */
  readonly folder: string;
  /** The arguments of `onError`, in order. */
  readonly errors: Error[];
}

/** @param files - templates by name; `../images/a.png` is a file next to their folder */
export function shareEmulator(
  files: Files,
  options: (folder: string) => Partial<EmulatorOptions> = () => ({}),
): SharedEmulator {
  const { path: folder, remove } = makeTemporaryFolder("emulator");
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
  }, 60_000);
  afterAll(async () => {
    await emulator?.close().catch(() => {});
    remove();
  });
  return shared;
}

/** Starts an emulator with one rendering thread that closes when the test has finished. */
export async function emulate(
  files: Files,
  options: Partial<EmulatorOptions> = {},
): Promise<Emulator & { readonly folder: string }> {
  const folder = await templateFolder(files);
  const emulator = await startEmulator({ templates: folder, limits: { threads: 1 }, ...options });
  onTestFinished(() => emulator.close().catch(() => {}));
  return Object.assign(emulator, { folder });
}

/** Writes files by path into a folder that is removed when the test has finished. */
export async function templateFolder(files: Files): Promise<string> {
  const path = temporaryFolder();
  await writeFiles(path, files);
  return path;
}

/** Writes files by path into a folder. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** Sends one call of the API with plain `fetch`. */
export function generate(
  { baseUrl, apiKey }: Reachable,
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
export async function textOf(emulator: Reachable, uid: string, values?: object): Promise<string | number> {
  const response = await generate(emulator, uid, values);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return response.status === 200 ? (await readPdf(bytes)).text : response.status;
}
