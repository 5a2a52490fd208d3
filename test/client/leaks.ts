import { readdirSync } from "node:fs";
import { inspect } from "node:util";
import type { ClientOptions, GeneratedPdf, PendingPdf, TemplatePdf } from "template-pdf";
import { onTestFinished, vi } from "vitest";
import { turns } from "../support/service.ts";
import { secretValues, spellings } from "./canaries.ts";

/** The output of a call by its place, for example an event or standard error. */
export type Places = Record<string, string>;

/** A call that is expected to fail, and what it uses. */
export interface Failing {
  readonly client?: TemplatePdf | undefined;
  readonly pending?: PendingPdf | undefined;
  /** The folder for files. */
  readonly folder?: string | undefined;
}

/** Collects all output while a call fails, by place. The error comes first. */
export async function collectOutput(
  run: (hooks: ClientOptions["hooks"]) => Promise<Failing & { error: unknown; document?: GeneratedPdf }>,
): Promise<{ places: Places; error: unknown }> {
  const events = { request: [], response: [], retry: [], error: [] } as Record<string, unknown[]>;
  const hooks = Object.fromEntries(
    Object.entries(events).map(([name, received]) => [name, (event: unknown) => void received.push(event)]),
  );
  const printed: unknown[] = [];
  const warnings: unknown[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, "write").mockImplementation((text) => printed.push(text) > 0);
    onTestFinished(() => spy.mockRestore());
  }
  const onWarning = (warning: unknown) => void warnings.push(warning);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));

  const { error, client, pending, document, folder } = await run(hooks);
  await turns();
  vi.restoreAllMocks();
  const places: Places = { ...placesOf(error) };
  for (const [name, received] of Object.entries(events)) {
    places[`the hook ${name}`] = received
      .map((event) => Object.values(placesOf(event)).join("\n"))
      .join("\n");
  }
  return {
    error,
    places: {
      ...places,
      "the client": shown(client),
      "the pending result": shown(pending),
      "the document": [document, document?.requestId, document?.filename].map(shown).join("\n"),
      "names of files": folder === undefined ? "" : inspect(readdirSync(folder)),
      warnings: warnings.map((warning) => Object.values(placesOf(warning)).join("\n")).join("\n"),
      "standard output": printed.map(String).join(""),
    },
  };
}

/** Returns what loggers print about an error or another value. */
function placesOf(thrown: unknown): Places {
  const chain = chainOf(thrown);
  const each = (read: (one: object) => unknown) => chain.map((one) => String(read(one))).join("\n");
  if (typeof thrown === "string") return { message: thrown };
  return {
    message: each((one) => (one as Error).message),
    stack: each((one) => (one as Error).stack),
    String: each(String),
    JSON: each((one) => `${json(one)} ${json({ ...one })}`),
    inspection: shown(thrown),
    properties: each((one) =>
      Reflect.ownKeys(one)
        .map((key) => `${String(key)}: ${inspect(Reflect.get(one, key), { depth: 10, showHidden: true })}`)
        .join("\n"),
    ),
    "getters but the service's own words": each((one) => {
      const { detail, excerpt, contentType } = one as { [name: string]: unknown };
      return inspect([detail, excerpt, contentType]);
    }),
  };
}

/** Returns an error with its causes, its aggregated errors, and the errors in an event. */
function chainOf(thrown: unknown, seen = new Set<object>()): object[] {
  if (typeof thrown !== "object" || thrown === null || seen.has(thrown)) return [...seen];
  seen.add(thrown);
  const { cause, errors, error } = thrown as { cause?: unknown; errors?: unknown; error?: unknown };
  for (const inner of [cause, error, ...(Array.isArray(errors) ? errors : [])]) chainOf(inner, seen);
  return [...seen];
}

function shown(value: unknown): string {
  if (value === undefined) return "";
  const inspected = inspect(value, {
    depth: 10,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: null,
  });
  return `${inspected}\n${json(value)}`;
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** Places with metadata from the response, for example the file name, which may contain values. */
const ofTheDocument = ["the document", "the pending result", "names of files"];

/** Returns the places that contain a secret in any encoding. In metadata from the response, only the key is a secret. */
export function leaksIn(places: Places, key: string): string[] {
  const ofKey = [...spellings(key), Buffer.from(key).toString("base64"), "C4N4RY", "KEY-CANARY"];
  const ofValues = [...secretValues.flatMap(spellings), "CANARY", "7000123"];
  return Object.entries(places)
    .filter(([place, text]) => {
      const upper = text.toUpperCase();
      return (ofTheDocument.includes(place) ? ofKey : [...ofKey, ...ofValues]).some((secret) =>
        upper.includes(secret.toUpperCase()),
      );
    })
    .map(([place]) => place);
}
