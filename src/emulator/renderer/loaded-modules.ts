import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { type Version, versionOf } from "./file-version.ts";
import { isOfUser } from "./user-file.ts";

/** The part of `node:module` that not every supported Node has. */
interface ModuleHooks {
  /** Node 22.15 and later; in this very thread. */
  readonly registerHooks?: (hooks: {
    load<Context, Result>(
      url: string,
      context: Context,
      next: (url: string, context: Context) => Result,
    ): Result;
  }) => unknown;
}

/**
 * Knows every file of the user's that this thread has loaded as a module, and whether one of them has changed since.
 *
 * A module is loaded once in the life of a thread; one that has changed can be loaded again only by a new thread,
 * together with whatever imports it. Packages under node_modules are taken not to change.
 */
export class LoadedModules {
  readonly #versions = new Map<string, Version>();
  readonly #noted = new MessageChannel();
  readonly #cache = nodeModule.createRequire(import.meta.url).cache;

  constructor() {
    const { registerHooks } = nodeModule as ModuleHooks;
    if (registerHooks) {
      registerHooks({
        load: (url, context, next) => {
          const path = pathOf(url);
          if (path !== undefined) this.#note(path, versionOf(path));
          return next(url, context);
        },
      });
      return;
    }
    const { port2: port } = this.#noted;
    nodeModule.register("#import-hook", import.meta.url, { data: { port }, transferList: [port] });
  }

  /** Whether a loaded file is another one now, or gone. */
  haveChanged(): boolean {
    this.#receive();
    for (const [path, version] of this.#versions) if (versionOf(path) !== version) return true;
    return false;
  }

  /** The files, in the order in which they were loaded. */
  paths(): string[] {
    this.#receive();
    return [...this.#versions.keys()];
  }

  /** Notes what was loaded by `require`, which the hooks of older Nodes do not see. To be called after each task. */
  noteRequired(): void {
    for (const path of Object.keys(this.#cache)) {
      if (!this.#versions.has(path) && isOfUser(path)) this.#note(path, versionOf(path));
    }
  }

  /** What the hooks of older Nodes, which run in a thread of their own, have noted. */
  #receive(): void {
    for (;;) {
      const received = receiveMessageOnPort(this.#noted.port1);
      if (!received) break;
      const { url, version } = received.message as { readonly url: string; readonly version: Version };
      const path = pathOf(url);
      if (path !== undefined) this.#note(path, version);
    }
  }

  #note(path: string, version: Version): void {
    if (!this.#versions.has(path)) this.#versions.set(path, version);
  }
}

/** The path of a module of the user's own. */
function pathOf(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const path = fileURLToPath(url.replace(/[?#].*$/, ""));
  return isOfUser(path) ? path : undefined;
}
