import { onTestFinished } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { templateFolder } from "./template-folder.ts";

/** An emulator of template files that closes with the running test; or of a folder that stands already. */
export async function emulate(
  files: Record<string, string> | string,
  options: Partial<EmulatorOptions> = {},
): Promise<Emulator> {
  const templates = typeof files === "string" ? files : await templateFolder(files);
  const emulator = await startEmulator({ templates, ...options });
  onTestFinished(() => emulator.close().catch(() => {}));
  return emulator;
}

/** One call as the spec has it, by plain `fetch`. */
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

/** The text of the document, or the status of a refusal. */
export async function textOf(emulator: Emulator, uid: string, values: object = {}): Promise<string | number> {
  const response = await generate(emulator, uid, values);
  const bytes = new Uint8Array(await response.arrayBuffer());
  return response.status === 200 ? (await readPdf(bytes)).text : response.status;
}
