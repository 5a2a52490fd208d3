import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { join } from "node:path";

/** Editors write a file in several steps, each of which triggers an event. */
const settlingMs = 50;

/** How often a folder is read that cannot be watched. */
const pollingMs = 1_000;

/** Called after files were changed, with their paths relative to the folder. `undefined` means that any file may have changed. */
type OnSaved = (changed: ReadonlySet<string> | undefined) => void;

/** Watches the files in a folder. The folder may be missing, and may be replaced. */
export class TemplateWatcher {
  readonly #folder: string;
  readonly #recursive: boolean;
  #watcher: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;
  #changed = new Set<string>();
  /** Identifies the folder that is watched: another one may get the same name. */
  #identity = "";

  /** @param recursive - whether to watch its subfolders, too, because templates import modules from them */
  constructor(folder: string, recursive = true) {
    this.#folder = folder;
    this.#recursive = recursive;
  }

  start(onSaved: OnSaved): void {
    if (this.#watcher ?? this.#polling) return;
    this.#identity = identityOf(this.#folder);
    try {
      this.#watcher = watch(this.#folder, { recursive: this.#recursive }, (_, name) => {
        this.#changed.add(name ?? "");
        clearTimeout(this.#settling);
        this.#settling = setTimeout(() => this.#settle(onSaved), settlingMs);
      });
      this.#watcher.on("error", () => this.#restart(onSaved));
    } catch {
      this.#poll(onSaved);
    }
  }

  close(): void {
    clearTimeout(this.#settling);
    clearInterval(this.#polling);
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#polling = undefined;
    this.#changed = new Set();
  }

  #settle(onSaved: OnSaved): void {
    if (identityOf(this.#folder) !== this.#identity) return this.#restart(onSaved);
    const changed = this.#changed;
    this.#changed = new Set();
    onSaved(changed);
  }

  /** The folder was removed or replaced. */
  #restart(onSaved: OnSaved): void {
    this.close();
    this.start(onSaved);
    onSaved(undefined);
  }

  /** The folder is missing, or the system has no file watches left. */
  #poll(onSaved: OnSaved): void {
    let last = contentsOf(this.#folder);
    this.#polling = setInterval(() => {
      const contents = contentsOf(this.#folder);
      if (contents === last) return;
      last = contents;
      this.#restart(onSaved);
    }, pollingMs);
    this.#polling.unref();
  }
}

function identityOf(folder: string): string {
  try {
    const { dev, ino } = statSync(folder);
    return `${dev} ${ino}`;
  } catch {
    return "none";
  }
}

/** Describes the files in a folder, so that changes can be seen. */
function contentsOf(folder: string): string {
  try {
    const times = readdirSync(folder).map((name) => {
      const file = statSync(join(folder, name), { throwIfNoEntry: false });
      return `${name} ${file?.mtimeMs}`;
    });
    return times.join("\n");
  } catch {
    return "none";
  }
}
