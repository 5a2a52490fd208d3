import { TemplatePdf } from "template-pdf";
import { values } from "../../bench/shared/values.mjs";
import { MemoryDispatcher } from "./memory-dispatcher.ts";

/** A client as it comes, with every check on; only the answers are made up. */
export function clientOf(dispatcher: MemoryDispatcher): TemplatePdf {
  return new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "key-of-the-guards", dispatcher });
}

/** A client whose every request is answered. */
export function answeredClient(): TemplatePdf {
  return clientOf(new MemoryDispatcher({ answers: true }));
}

/** Asks for one document. */
export function ask(client: TemplatePdf, signal?: AbortSignal): Promise<Uint8Array> {
  return client.generate("invoice", values, signal && { signal }).bytes();
}

/** Gets `documents` documents, `inFlight` of them at a time. */
export async function getMany(
  client: TemplatePdf,
  documents: number,
  inFlight: number,
  signal?: AbortSignal,
): Promise<void> {
  let left = documents;
  const lane = async () => {
    while (left-- > 0) await ask(client, signal);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
