import { relative, sep } from "node:path";
import type { SampleFile } from "./sample-file.ts";
import { TemplateSamples } from "./template-samples.ts";

/** What was found of every template. */
export class Collection {
  readonly #byUid = new Map<string, TemplateSamples>();
  readonly #folder: string;

  /** @param folder - the absolute path of the folder from which sources are named */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get all(): readonly TemplateSamples[] {
    return [...this.#byUid.values()];
  }

  /** Gives what is known of a template. */
  of(uid: string): TemplateSamples {
    const known = this.#byUid.get(uid) ?? new TemplateSamples(uid);
    this.#byUid.set(uid, known);
    return known;
  }

  /** How a comment names a file: alike on every machine and from every working directory. */
  sourceOf({ path }: SampleFile): string {
    return relative(this.#folder, path).split(sep).join("/");
  }
}
