import * as nodeModule from "node:module";
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { isOfUser, userPathOf, type Version, versionOf, versionToLoad } from "./user-file.ts";

/** The part of `node:module` that some supported versions of Node lack. */
interface ModuleHooks {
  /** Node 22.15 and later; runs in this thread. */
  readonly registerHooks?: (hooks: { readonly load: LoadHook }) => unknown;
}

type LoadHook = <Context, Result>(
  url: string,
  context: Context,
  next: (url: string, context: Context) => Result,
) => Result;

/**
 * Tracks the user files that this thread has loaded as modules, and detects changes.
 *
 * A thread loads a module only once, so a changed module needs a new thread. Packages in node_modules are assumed not to change.
 */
export class LoadedModules {
  readonly #versions = new Map<string, Version>();
  /** Receives the messages of the hooks in older versions of Node. */
  #noted: MessagePort | undefined;
  readonly #cache = nodeModule.createRequire(import.meta.url).cache;

  constructor() {
    const load: LoadHook = (url, context, next) => {
      const path = userPathOf(url);
      if (path !== undefined) this.#note(path, versionToLoad(path));
      return next(url, context);
    };
    const { registerHooks } = nodeModule as ModuleHooks;
    if (registerHooks) {
      registerHooks({ load });
      return;
    }
    const { port1, port2: port } = new MessageChannel();
    this.#noted = port1;
    nodeModule.register("#import-hook", import.meta.url, { data: { port }, transferList: [port] });
  }

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

  /** Records modules loaded by `require`, which the hooks of older versions do not see. Called after each task. */
  noteRequired(): void {
    for (const path of Object.keys(this.#cache)) {
      if (!this.#versions.has(path) && isOfUser(path)) this.#note(path, versionOf(path));
    }
  }

  #receive(): void {
    while (this.#noted) {
      const received = receiveMessageOnPort(this.#noted);
      if (!received) break;
      const { path, version } = received.message as { readonly path: string; readonly version: Version };
      this.#note(path, version);
    }
  }

  #note(path: string, version: Version): void {
    if (!this.#versions.has(path)) this.#versions.set(path, version);
  }
}
