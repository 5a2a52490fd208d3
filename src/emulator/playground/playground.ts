import { createRequire } from "node:module";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describeThrown, isInstance } from "../../errors/foreign-values.ts";
import { ownOptions } from "../../runtime/own-options.ts";
import { checkJsonType, readJsonObject } from "../../service/json-body.ts";
import { Problem } from "../../service/problem.ts";
import { targetOf } from "../../service/request-target.ts";
import type { Misbehaviour, MisbehaviourSettings } from "../misbehaviour.ts";
import type { Renderers } from "../renderers.ts";
import { EventStream } from "./event-stream.ts";
import { PageFiles } from "./page-files.ts";
import { RequestLog } from "./request-log.ts";
import { TemplateStates } from "./template-states.ts";
import { TemplateWatcher } from "./template-watcher.ts";

/** What the playground shows and changes. */
interface PlaygroundParts {
  readonly folder: string;
  readonly renderers: Renderers;
  readonly misbehaviour: Misbehaviour;
  readonly apiKey: string;
}

const prefix = "/_playground/";

/** The token that the page sends with each request that reads or changes data. */
const tokenHeader = "x-playground-token";

/** How long the page waits for rendered samples before it shows the templates without them. */
const longestInspectionMs = 1_000;

/** The maximum body size of a change to the faults, in bytes. */
const maxBodyBytes = 16_384;

/** The page at `/` of an emulator, and its requests under `/_playground/`. */
export class Playground {
  readonly log = new RequestLog((call) => this.#events.send("request", call));
  readonly #parts: PlaygroundParts;
  readonly #templates: TemplateStates;
  readonly #events: EventStream;
  readonly #files: PageFiles;
  readonly #token = crypto.randomUUID();

  constructor(parts: PlaygroundParts) {
    this.#parts = parts;
    this.#files = new PageFiles(dirname(createRequire(import.meta.url).resolve("#playground")), parts.folder);
    this.#templates = new TemplateStates(parts.folder, parts.renderers);
    const watcher = new TemplateWatcher(parts.folder);
    this.#events = new EventStream(
      () => watcher.start(() => void this.#onSaved()),
      () => watcher.close(),
    );
  }

  /** Whether a request is for the playground rather than the service. */
  isFor(request: Request): boolean {
    const pathname = targetOf(request)?.pathname ?? "";
    if (pathname.startsWith(prefix)) return true;
    const isHtmlWanted = request.headers.get("accept")?.includes("text/html") ?? false;
    return pathname === "/" && isHtmlWanted && /^(?:GET|HEAD)$/.test(request.method);
  }

  /** Handles a request from the page. */
  async answer(request: Request): Promise<Response> {
    try {
      return await this.#answer(request);
    } catch (error) {
      const problem = isInstance(error, Problem) ? error : new Problem(500, describeThrown(error));
      return problem.toResponse(crypto.randomUUID());
    }
  }

  close(): void {
    this.#events.close();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/") {
      const page = await this.#files.readPage(this.#token);
      // A response to HEAD has no body (RFC 9110, 9.3.2).
      return request.method === "HEAD" ? new Response(null, page) : page;
    }
    const [what = "", ...rest] = pathname.slice(prefix.length).split("/");
    const name = decoded(rest.join("/"));
    const route = `${request.method} ${what}`;
    if (route === "GET assets") return this.#files.read(`_playground/assets/${name}`);
    if (route === "GET pdfjs") return this.#files.readPdfJs(name);
    this.#requireOwnPage(request);
    if (route === "GET events") return this.#events.open();
    if (route === "GET state") return this.#state(request);
    if (route === "GET types") return this.#types(name);
    if (route === "GET requests") return this.#request(Number(name));
    if (route === "PUT misbehaviour") return this.#changeMisbehaviour(request);
    throw new Problem(404, "The playground does not have this path.");
  }

  /**
   * Refuses other origins and requests without the page's token, because responses contain the API key and the values of
   * requests.
   */
  #requireOwnPage({ headers, url }: Request): void {
    const { origin } = new URL(url);
    const isSameSite = (headers.get("sec-fetch-site") ?? "same-origin") === "same-origin";
    const isSameOrigin = (headers.get("origin") ?? origin) === origin;
    if (isSameSite && isSameOrigin && headers.get(tokenHeader) === this.#token) return;
    throw new Problem(
      403,
      "Only the playground's own page may call this. Open it at the emulator's base URL.",
    );
  }

  async #state(request: Request): Promise<Response> {
    const { misbehaviour, apiKey } = this.#parts;
    const inspected = this.#inspect();
    // Templates that are not rendered in time follow as an event.
    await Promise.race([inspected, pause(longestInspectionMs, undefined, { ref: false })]);
    return json({
      baseUrl: new URL(request.url).origin,
      apiKey,
      templates: this.#templates.all,
      requests: this.log.calls,
      misbehaviour: misbehaviour.settings,
      hasPdfJs: this.#files.findPdfJs() !== undefined,
    });
  }

  async #onSaved(): Promise<void> {
    // The page renders its values at the same time as the samples.
    this.#events.send("saved", {});
    await this.#inspect();
  }

  async #inspect(): Promise<void> {
    if (await this.#templates.inspect()) this.#events.send("templates", this.#templates.all);
  }

  async #types(uid: string): Promise<Response> {
    const types = await this.#templates.typesOf(uid);
    if (types === undefined) {
      throw new Problem(404, `The template ${JSON.stringify(uid)} does not exist or cannot be read.`);
    }
    return new Response(types, { headers: { "content-type": "text/plain; charset=utf-8" } });
  }

  #request(id: number): Response {
    const found = this.log.find(id);
    if (!found)
      throw new Problem(404, "This request is no longer available: the playground keeps only the last 100.");
    return json(found);
  }

  async #changeMisbehaviour(request: Request): Promise<Response> {
    checkJsonType(request.headers);
    const { misbehaviour } = this.#parts;
    const settings = (await readJsonObject(request, maxBodyBytes)) as MisbehaviourSettings;
    const { faults, latency } = ownOptions(settings, ["faults", "latency"]);
    try {
      misbehaviour.change({ faults, latency });
    } catch (error) {
      throw new Problem(400, describeThrown(error));
    }
    this.#events.send("misbehaviour", misbehaviour.settings);
    return json(misbehaviour.settings);
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new Problem(400, "This path is not valid percent-encoding.");
  }
}

function json(value: unknown): Response {
  return Response.json(value, { headers: { "cache-control": "no-store" } });
}
