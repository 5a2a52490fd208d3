import { type FSWatcher, watch } from "node:fs";

/** Editors write a file in several steps, each of which triggers an event. */
const settlingMs = 50;

/** Watches the files in a folder. */
export class TemplateWatcher {
  readonly #folder: string;
  readonly #recursive: boolean;
  #watcher: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;

  /** @param recursive - whether to watch its subfolders, too, because templates import modules from them */
  constructor(folder: string, recursive = true) {
    this.#folder = folder;
    this.#recursive = recursive;
  }

  /** @param onSaved - called after a file was changed */
  start(onSaved: () => void): void {
    if (this.#watcher) return;
    try {
      this.#watcher = watch(this.#folder, { recursive: this.#recursive }, () => {
        clearTimeout(this.#settling);
        this.#settling = setTimeout(onSaved, settlingMs);
      });
      // The folder was removed. The next inspection removes its templates.
      this.#watcher.on("error", () => this.close());
    } catch {
      // The system has no file watches left. The page has a button that inspects the templates.
    }
  }

  close(): void {
    clearTimeout(this.#settling);
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
