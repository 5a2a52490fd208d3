import { readFile } from "node:fs/promises";
import { type Version, versionOf } from "./file-version.ts";
import { parseJsonTemplate } from "./json/json-template.ts";
import { loadModuleTemplate } from "./module-template.ts";
import type { TemplateSource } from "./protocol.ts";
import type { Template } from "./template.ts";

/** The templates that this thread has loaded. A file of JSON that changes is read again; a module never is. */
export class Templates {
  readonly #loaded = new Map<string, { readonly version: Version; readonly template: Template }>();

  /**
   * Gives the template of a file, as the file is now.
   *
   * @throws {Error} when it cannot be loaded; the message of a JSON file's error begins with its name.
   */
  async load(source: TemplateSource): Promise<Template> {
    const isModule = !source.path.endsWith(".json");
    // Before it is read: a change in between must not go unseen.
    const version = isModule ? "once" : versionOf(source.path);
    const known = this.#loaded.get(source.path);
    if (known && known.version === version) return known.template;
    const template = isModule
      ? await loadModuleTemplate(source)
      : parseJsonTemplate(await readFile(source.path, "utf8"), source.file);
    this.#loaded.set(source.path, { version, template });
    return template;
  }
}
