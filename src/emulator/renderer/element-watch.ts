import type { JsonPath } from "../../json/json-value.ts";

type Method = (this: unknown, element: unknown, ...more: unknown[]) => unknown;

/** The methods of pdfmake that are called for each element of a document, by prototype. */
export type ElementMethods = readonly (readonly [prototype: object, name: string])[];

/** Notes the element in which pdfmake fails, because its errors do not name it. */
export class ElementWatch {
  #current: unknown;
  #failing: unknown;

  constructor(methods: ElementMethods) {
    for (const [prototype, name] of methods) {
      const original: Method = Reflect.get(prototype, name);
      const call = (self: unknown, args: Parameters<Method>): unknown => {
        const outer = this.#current;
        [this.#current] = args;
        try {
          return original.apply(self, args);
        } catch (error) {
          this.fail();
          throw error;
        } finally {
          this.#current = outer;
        }
      };
      const watched: Method = function (...args) {
        return call(this, args);
      };
      Reflect.set(prototype, name, watched);
    }
  }

  /** Forgets the last document. */
  reset(): void {
    this.#current = undefined;
    this.#failing = undefined;
  }

  /** Notes that the current element fails. Only the innermost counts, which fails first. */
  fail(): void {
    this.#failing ??= this.#current;
  }

  /**
   * Finds the path of the element that failed. pdfmake changes the definition: it puts an object in place of a text or an array.
   *
   * @param parts - the parts of the definition by name, and the results of functions such as `footer`
   */
  findPath(parts: Readonly<Record<string, unknown>>): JsonPath | undefined {
    const failing = this.#failing;
    if (typeof failing !== "object" || failing === null) return undefined;
    const { stack } = failing as { readonly stack?: unknown };
    const seen = new Set<object>();
    const rest: { readonly value: unknown; readonly path: JsonPath }[] = [{ value: parts, path: [] }];
    for (let next = rest.pop(); next; next = rest.pop()) {
      const { value, path } = next;
      if (typeof value !== "object" || value === null || seen.has(value) || ArrayBuffer.isView(value))
        continue;
      if (value === failing || (value === stack && Array.isArray(value))) return path;
      seen.add(value);
      for (const [key, inner] of Object.entries(value)) {
        // pdfmake's own properties lead to other elements.
        if (!key.startsWith("_"))
          rest.push({ value: inner, path: [...path, Array.isArray(value) ? Number(key) : key] });
      }
    }
    return undefined;
  }
}

const failedPaths = new WeakMap<object, JsonPath>();

/** Notes the path of the element in which an error occurred. */
export function noteFailedPath(error: object, path: JsonPath | undefined): void {
  if (path !== undefined) failedPaths.set(error, path);
}

/** Returns the path of the element in which an error occurred, if pdfmake threw it. */
export function failedPathOf(error: unknown): JsonPath | undefined {
  return typeof error === "object" && error !== null ? failedPaths.get(error) : undefined;
}
