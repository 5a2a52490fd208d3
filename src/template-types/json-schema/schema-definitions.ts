import type { Shape } from "../shape.ts";
import { keyOf, settle } from "./combine-shapes.ts";
import { mention } from "./mention.ts";

/** More names than these are not added to definitions. */
const maxMentions = 1_000;

/** The targets of references by name, while a schema is read. */
export class SchemaDefinitions {
  readonly #shapes = new Map<string, Shape>();
  readonly #mentions: (readonly [name: string, mentioned: Shape])[] = [];

  get shapes(): ReadonlyMap<string, Shape> {
    return this.#shapes;
  }

  set(name: string, shape: Shape): void {
    this.#shapes.set(name, shape);
  }

  /** Returns the definition with this name, or `undefined` while it is still being read. */
  resolve(name: string): Shape | undefined {
    return this.#shapes.get(name);
  }

  /** Adds the names in a shape to a definition when all definitions are settled. */
  mention(name: string, mentioned: Shape): void {
    if (this.#mentions.length < maxMentions) this.#mentions.push([name, mentioned]);
  }

  settle(): void {
    const seen = new Set<string>();
    // The list grows in the loop, because definitions refer to others.
    for (const [name, mentioned] of this.#mentions) {
      const definition = this.#shapes.get(name);
      const key = JSON.stringify([name, keyOf(mentioned)]);
      if (definition === undefined || seen.has(key)) continue;
      seen.add(key);
      this.#shapes.set(name, mention(definition, mentioned, this));
    }
    for (const [name, definition] of this.#shapes) this.#shapes.set(name, settle(definition));
  }
}
