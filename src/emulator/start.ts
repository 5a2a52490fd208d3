/// <reference lib="esnext.disposable" preserve="true" />

import { makeDisposable } from "../runtime/disposal.ts";
import { createEndpoint } from "../service/endpoint.ts";
import { listen } from "../service/listen.ts";
import { requireApiKey } from "../service/require-api-key.ts";
import { Misbehaviour } from "./misbehaviour.ts";
import { type EmulatorOptions, resolveEmulatorOptions } from "./options.ts";
import { Playground } from "./playground/playground.ts";
import { maxMemoryMegabytes } from "./renderer/definition-size.ts";
import { Renderers } from "./renderers.ts";
import { type Answer, reporting } from "./reporting.ts";
import { readTemplateFolder, type TemplateFile } from "./template-folder.ts";
import { type FoundTemplate, inspectTemplates, renderOrder } from "./templates.ts";

/** A running emulator. */
export interface Emulator {
  /** The base URL for the client, such as `http://127.0.0.1:49152`. */
  readonly baseUrl: string;
  /** An accepted API key: the first of `apiKeys`, or the random key. */
  readonly apiKey: string;
  /** The URL of the playground; `undefined` if it is not served. */
  readonly playgroundUrl: string | undefined;
  /** The templates found at startup. Later changes take effect on the next request. */
  readonly templates: readonly FoundTemplate[];
  /**
   * Stops listening, finishes responses in flight, and closes all connections. A second call returns the same promise.
   *
   * @throws {Error} (rejects) if calls had to be interrupted after 8 seconds, or a template keeps its thread from ending for another
   * second. The message names the template
   */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an emulator of the service on this machine. It uses pdfmake to render real PDFs from template files.
 *
 * The file name is the uid. `<uid>.json` is a pdfmake document definition with `{{placeholders}}`. `<uid>.mjs`, or `<uid>.ts` if
 * Node supports TypeScript, has a default export `(values) => document definition`. File changes take effect on the next
 * request. If a template's schema rejects the values, the emulator responds with 422. If a template throws, the emulator responds
 * with 500. The reason is passed to `onError`, and callers on the same machine also receive it.
 *
 * @param options - the folder with the templates, the address, limits and faults
 * @returns the emulator, once it is listening
 * @throws {TypeError} if an option is unknown, missing or of the wrong type
 * @throws {RangeError} if a number is out of range
 * @throws {Error} if a folder is missing, if two files have the same uid, if a
 * template cannot be loaded (the message lists every such template with its file and position), if pdfmake is
 * not installed, or if the host and port are unavailable
 * @example
 * ```ts
 * const emulator = await startEmulator({ templates: "templates" });
 * const pdfs = new TemplatePdf({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey });
 * await pdfs.generate("invoice", { date: "20 November 2026", total: "£1,000,000" }).saveTo("invoice.pdf");
 * await emulator.close();
 * ```
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { emulator } = await openEmulator(options, async (folder, renderers) =>
    inspectTemplates((await readTemplateFolder(folder)).values(), renderers),
  );
  return emulator;
}

/**
 * Starts an emulator for the command. If the playground is served, the template folder may be missing: the page says so, and can
 * create the folder.
 */
export async function startForUser(options: EmulatorOptions): Promise<Emulator> {
  const { emulator } = await openEmulator(options, async (folder, renderers, hasPlayground) => {
    const reading = readTemplateFolder(folder);
    const files = hasPlayground ? await reading.catch(() => new Map<string, TemplateFile>()) : await reading;
    return inspectTemplates(files.values(), renderers);
  });
  return emulator;
}

/** Finds the templates when the emulator starts. It throws if they prevent the start. */
type FindTemplates = (
  folder: string,
  renderers: Renderers,
  hasPlayground: boolean,
) => Promise<FoundTemplate[]>;

/** An emulator with what it uses, for callers that use it, too. */
interface OpenEmulator {
  readonly emulator: Emulator;
  /** The path of the template folder. */
  readonly folder: string;
  readonly renderers: Renderers;
}

/** Starts an emulator. */
export async function openEmulator(options: EmulatorOptions, find: FindTemplates): Promise<OpenEmulator> {
  const resolved = resolveEmulatorOptions(options);
  const { templates: folder, images, fonts, limits, faults, latency, onCall, onError } = resolved;
  const { host, port, allowedHosts, apiKeys, ui, strict } = resolved;
  const authorize = requireApiKey(apiKeys);
  const closing = new AbortController();
  const misbehaviour = new Misbehaviour({ faults, latency }, closing.signal);
  const { threads, renderMs, maxNodes } = limits;
  const setup = { templates: folder, images, fonts, maxNodes };
  const renderers = new Renderers(setup, threads, renderMs, maxMemoryMegabytes(maxNodes));
  try {
    const parts = { folder, renderers, misbehaviour, apiKey: apiKeys[0] };
    const playground = ui ? new Playground(parts) : undefined;
    const templates = await find(folder, renderers, ui);
    const produce = misbehaviour.wrap((order) => renderOrder(order, { folder, renderers, strict }));
    const endpoint = createEndpoint({
      authorize,
      produce: (order) => {
        playground?.log.noteValues(order.request, order.values);
        return playground?.isPreview(order.request) ? playground.preview(order) : produce(order);
      },
      maxBodyBytes: limits.maxBodyBytes,
      onError: (error, request, requestId) => {
        playground?.log.noteError(request, error);
        return onError(error, request, requestId);
      },
    });
    const answer: Answer = (request) =>
      playground?.isFor(request) ? playground.answer(request) : endpoint(request);
    const listening = await listen(answer, {
      host,
      port,
      allowedHosts,
      requestLimitMs: limits.requestMs,
      watch: (answerAny) =>
        reporting(answerAny, (call, request) => {
          if (playground?.isFor(request)) return;
          playground?.log.add(call, request, playground.isPreview(request));
          return onCall(call);
        }),
    });
    const stop = async (): Promise<void> => {
      closing.abort(new Error("The emulator was closed."));
      playground?.close();
      await listening.close().finally(() => renderers.close());
    };
    let closed: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closed ??= stop();
      return closed;
    };
    const { baseUrl } = listening;
    const playgroundUrl = playground && `${baseUrl}/`;
    const emulator = { baseUrl, apiKey: apiKeys[0], playgroundUrl, templates, close };
    makeDisposable(emulator, close);
    return { emulator, folder, renderers };
  } catch (error) {
    await renderers.close();
    throw error;
  }
}
