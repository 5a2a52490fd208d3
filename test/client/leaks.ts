import type { ClientOptions, GeneratedPdf, PendingPdf, TemplatePdf } from "template-pdf";
import { onTestFinished, vi } from "vitest";
import { turns } from "../support/service.ts";
import { printed, secretValues, spellings } from "./canaries.ts";

/** The output of a call by its place, for example an event or standard error. */
export type Places = Record<string, string>;

/** A call that is expected to fail, and the objects that it uses. */
export interface Failing {
  readonly error: unknown;
  readonly client?: TemplatePdf | undefined;
  readonly pending?: PendingPdf | undefined;
  readonly document?: GeneratedPdf | undefined;
}

/** Collects all output while a call fails, by place. */
export async function collectOutput(
  run: (hooks: ClientOptions["hooks"]) => Promise<Failing>,
): Promise<{ places: Places; error: unknown }> {
  const places: Places = { warnings: "", "standard output": "" };
  const record = (place: string) => (value: unknown) => {
    places[place] = (places[place] ?? "") + (typeof value === "string" ? value : printed(value));
    return true;
  };
  const names = ["request", "response", "retry", "error"];
  const hooks = Object.fromEntries(names.map((name) => [name, record(`the hook ${name}`)]));
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation(record("standard output")),
  );
  const onWarning = record("warnings");
  process.on("warning", onWarning);
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    process.off("warning", onWarning);
  });

  const { error, client, pending, document } = await run(hooks);
  await turns();
  vi.restoreAllMocks();
  record("the error")(error);
  record("the client")(client);
  record("the pending result")(pending);
  for (const part of [document, document?.requestId, document?.filename]) record("the document")(part);
  return { error, places };
}

/** Places with metadata from the response, for example the file name, which may contain values. */
const ofTheDocument = ["the document", "the pending result"];

/** Returns the places that contain a secret in any encoding. In metadata from the response, only the key is a secret. */
export function leaksIn(places: Places, key: string): string[] {
  const ofKey = [...spellings(key), Buffer.from(key).toString("base64"), "C4N4RY", "KEY-CANARY"];
  const ofValues = [...secretValues.flatMap(spellings), "CANARY", "7000123"];
  return Object.entries(places)
    .filter(([place, text]) => {
      const upper = text.toUpperCase();
      const secrets = ofTheDocument.includes(place) ? ofKey : [...ofKey, ...ofValues];
      return secrets.some((secret) => upper.includes(secret.toUpperCase()));
    })
    .map(([place]) => place);
}
