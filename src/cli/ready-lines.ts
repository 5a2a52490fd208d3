import type { Emulator, FoundTemplate } from "../emulator/index.ts";
import { escapeUnprintable } from "./output.ts";
import { pdfNameOf } from "./output-file.ts";
import { quotedWord } from "./quoted-word.ts";

/** Where to send a call, and the key that lets it pass. */
type Address = Pick<Emulator, "baseUrl" | "apiKey">;

/** Writes the command line of curl that generates a document of a template, ready to be pasted into a POSIX shell. */
export function curlLine({ baseUrl, apiKey }: Address, { uid, sample }: FoundTemplate): string {
  const url = `${baseUrl}/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`;
  return [
    `curl -sS --fail-with-body -o ${quotedWord(pdfNameOf(uid), "posix")}`,
    `-H ${quotedWord(escapeUnprintable(`Authorization: API-Key ${apiKey}`), "posix")}`,
    "-H 'Content-Type: application/json'",
    `-d ${quotedWord(jsonOf(sample), "posix")}`,
    quotedWord(url, "posix"),
  ].join(" ");
}

/** Writes the line of JavaScript that generates a document of a template. */
export function sdkLine({ baseUrl, apiKey }: Address, { uid, sample }: FoundTemplate): string {
  const options = `{ baseUrl: ${jsonOf(baseUrl)}, apiKey: ${jsonOf(apiKey)} }`;
  const call = `generate(${jsonOf(uid)}, ${jsonOf(sample)})`;
  return `await new TemplatePdf(${options}).${call}.saveTo(${jsonOf(pdfNameOf(uid))});`;
}

/** JSON of which a terminal obeys nothing. */
function jsonOf(value: unknown): string {
  return escapeUnprintable(JSON.stringify(value));
}
