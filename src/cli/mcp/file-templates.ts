import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { TemplateWatcher } from "../../emulator/playground/template-watcher.ts";
import { describeThrown } from "../../errors/foreign-values.ts";
import { type KnownTemplate, knownTemplate, type TemplateSource } from "../../mcp/tools.ts";
import { Misuse } from "../failure.ts";
import { divertStdout } from "../load-module.ts";
import { printable } from "../output.ts";
import type { Session } from "../terminal.ts";
import { expandWord } from "../types/sample-file.ts";
import type { Collection } from "../types/template-samples.ts";
import { readAll } from "../types.ts";

/** The templates that samples, schemas and template files describe. */
export class FileTemplates implements TemplateSource {
  readonly listeners = new Set<() => void>();
  templates: readonly KnownTemplate[] = [];
  readonly #words: readonly string[];
  readonly #session: Session;
  #watchers: readonly TemplateWatcher[] = [];

  private constructor(words: readonly string[], session: Session) {
    this.#words = words;
    this.#session = session;
  }

  /**
   * Reads the files, and reads them again when they change.
   *
   * @param words - files and folders, each optionally as `uid=path`
   * @throws {Misuse} if a file is invalid
   */
  static async open(words: readonly string[], session: Session): Promise<FileTemplates> {
    const source = new FileTemplates(words, session);
    source.templates = await source.#read();
    source.#watchers = [...(await foldersOf(words, session))].map(
      (folder) => new TemplateWatcher(folder, false),
    );
    for (const watcher of source.#watchers) watcher.start(() => void source.#reread());
    return source;
  }

  async #reread(): Promise<void> {
    try {
      const templates = await this.#read();
      if (JSON.stringify(templates) === JSON.stringify(this.templates)) return;
      this.templates = templates;
      for (const listener of this.listeners) listener();
    } catch (error) {
      // The last valid files stay in effect until the problem is fixed.
      this.#warn(describeThrown(error));
    }
  }

  async #read(): Promise<KnownTemplate[]> {
    const collection: Collection = new Map();
    const warnings = await divertStdout(() => readAll(this.#words, collection, this.#session));
    for (const warning of warnings) this.#warn(`warning: ${warning}`);
    return [...collection].map(([uid, samples]) => {
      const { json, file } = samples.schema();
      return knownTemplate(uid, json, file, (message) => new Misuse(message));
    });
  }

  #warn(text: string): void {
    for (const line of text.split("\n"))
      this.#session.terminal.stderr.write(`template-pdf: ${printable(line)}\n`);
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }
}

/** Returns the folders of the files. */
async function foldersOf(words: readonly string[], { terminal }: Session): Promise<Set<string>> {
  const folders = new Set<string>();
  for (const word of words) {
    for (const { name } of await expandWord(word, terminal.platform)) {
      folders.add((await stat(name)).isDirectory() ? name : dirname(name));
    }
  }
  return folders;
}
