/// <reference lib="esnext.disposable" preserve="true" />

import { makeDisposable } from "../runtime/disposal.ts";
import { createEndpoint } from "../service/endpoint.ts";
import { listen } from "../service/listen.ts";
import { requireApiKey } from "../service/require-api-key.ts";
import { Misbehaviour } from "./misbehaviour.ts";
import { type EmulatorOptions, resolveEmulatorOptions } from "./options.ts";
import { Playground } from "./playground/playground.ts";
import { Renderers } from "./renderers.ts";
import { type Answer, reporting } from "./reporting.ts";
import { type FoundTemplate, inspectTemplates, renderOrder } from "./templates.ts";

/** A running emulator. */
export interface Emulator {
  /** Where it answers, such as `http://127.0.0.1:49152`: the client's `baseUrl`. */
  readonly baseUrl: string;
  /** A key that may call: the first of `apiKeys`, or the random one. */
  readonly apiKey: string;
  /** The address of the playground, a page for templates and values; `undefined` if it is not served. */
  readonly playgroundUrl: string | undefined;
  /** The templates found at the start. Whatever is changed, added or removed later is served, or not, at once. */
  readonly templates: readonly FoundTemplate[];
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
 * The file's name is the uid. `<uid>.json` is a pdfmake document definition whose strings may hold `{{placeholders}}`;
 * `<uid>.mjs`, or `<uid>.ts` where Node loads it, exports by default a function `(values) => document definition`. Files that
 * change, come or go are served at once. Values that a template's schema refuses are answered with 422; a
 * template that throws, with a bare 500, and the reason goes to `onError`.
 *
 * @param options - the folder of the templates, where to listen, what to bound, and what is to go wrong
 * @returns the emulator, once it listens
 * @throws {TypeError} when an option is unknown, missing or of the wrong type.
 * @throws {RangeError} when a number among them is out of range.
 * @throws {Error} when a folder is missing or holds no template, when two files have one uid, when a template cannot be loaded
 *   (one line each, with file and place), when pdfmake is not installed, or when nothing can listen on that host and port.
 * @example
 * ```ts
 * const emulator = await startEmulator({ templates: "templates" });
 * const pdfs = new TemplatePdf({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey });
 * await pdfs.generate("invoice", { date: "20 November 2026", total: "£1,000,000" }).saveTo("invoice.pdf");
 * await emulator.close();
 * ```
 */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const resolved = resolveEmulatorOptions(options);
  const { templates: folder, images, fonts, limits, faults, latency, onCall, onError } = resolved;
  const { host, port, allowedHosts, apiKeys, ui } = resolved;
  const authorize = requireApiKey(apiKeys);
  const closing = new AbortController();
  const misbehaviour = new Misbehaviour({ faults, latency }, closing.signal);
  const renderers = new Renderers({ templates: folder, images, fonts }, limits.threads, limits.renderMs);
  try {
    const parts = { folder, renderers, misbehaviour, apiKey: apiKeys[0] };
    const playground = ui ? new Playground(parts) : undefined;
    const templates = await inspectTemplates(folder, renderers);
    const produce = misbehaviour.wrap((order) => renderOrder(order, folder, renderers));
    const endpoint = createEndpoint({
      authorize,
      produce: (order) => {
        playground?.log.noteValues(order.request, order.values);
        return produce(order);
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
          playground?.log.add(call, request);
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
    return emulator;
  } catch (error) {
    await renderers.close();
    throw error;
  }
}
