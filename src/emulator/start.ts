/// <reference lib="esnext.disposable" preserve="true" />

import { createEndpoint, type Order, type Product } from "../server/endpoint.ts";
import { Problem, unknownTemplate } from "../server/problem.ts";
import { requireApiKey } from "../server/require-api-key.ts";
import { listen } from "./listen.ts";
import { type EmulatorOptions, resolveEmulatorOptions } from "./options.ts";
import { loadRenderer, type Render } from "./render.ts";
import { readTemplates, type TemplateFunction } from "./templates.ts";

/** A running emulator. */
export interface Emulator {
  /** Where it answers, such as `http://127.0.0.1:49152`: the client's `baseUrl`. */
  readonly baseUrl: string;
  /** A key that may call: the first of `apiKeys`, or the random one. */
  readonly apiKey: string;
  /**
   * Stops listening, lets answers under way finish, and ends every connection. A second call gives the same promise.
   *
   * @throws {Error} when calls were still unanswered after 8 seconds and had to be cut off.
   */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the service on this machine: real PDFs, rendered by pdfmake from the template files of a folder.
 *
 * Each file `<uid>.mjs` whose default export is a function `(values) => pdfmake document definition` is a template.
 * They are read once, at the start. What a template throws is answered with a bare 500 and goes to `onError`.
 *
 * @param options - the folder of the templates, and where to listen
 * @returns the emulator, once it listens
 * @throws {TypeError} when an option is unknown, missing or of the wrong type.
 * @throws {RangeError} when the port is not an integer from 0 to 65535.
 * @throws {Error} when the folder is missing or holds no template, when a template cannot be loaded, when pdfmake
 *   is not installed, or when nothing can listen on that host and port.
 * @example
 * ```ts
 * const emulator = await startEmulator({ templates: "templates" });
 * const pdfs = new TemplatePdf({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey });
 * await pdfs.generate("invoice", { date: "20 November 2026", total: "£1,000,000" }).saveTo("invoice.pdf");
 * await emulator.close();
 * ```
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { templates: folder, port, host, apiKeys, onError } = resolveEmulatorOptions(options);
  const authorize = requireApiKey(apiKeys);
  const templates = await readTemplates(folder);
  const render = await loadRenderer();
  const endpoint = createEndpoint({
    authorize,
    produce: (order) => renderTemplate(order, templates, render),
    onError,
  });
  const { baseUrl, close } = await listen(endpoint, host, port);
  return { baseUrl, apiKey: apiKeys[0], close, [Symbol.asyncDispose]: close };
}

async function renderTemplate(
  { uid, values, request, signal }: Order,
  templates: ReadonlyMap<string, TemplateFunction>,
  render: Render,
): Promise<Product> {
  // The endpoint can be mounted anywhere; this one is at the root, and a client that adds a path is mistaken.
  if (!new URL(request.url).pathname.startsWith("/api/v1/templates/")) {
    throw new Problem(
      404,
      "There is nothing at this path. End `baseUrl` before /api/v1: the client adds that itself.",
    );
  }
  const template = templates.get(uid);
  if (template === undefined) {
    throw unknownTemplate(uid, `This emulator read, at its start: ${[...templates.keys()].join(", ")}.`);
  }
  const definition: unknown = await template(values);
  if (typeof definition !== "object" || definition === null) {
    const found = definition === null ? "null" : typeof definition;
    throw new TypeError(`The template ${uid} returned ${found}. Return a pdfmake document definition.`);
  }
  // The layout cannot be interrupted: for a caller who has left, it is not begun.
  signal.throwIfAborted();
  return { bytes: await render(definition) };
}
