import { isJsonObject } from "../../../json/json-value.ts";
import type { TemplateSource } from "./template-source.ts";

/** The texts of a template by language. */
export interface Labels {
  readonly languages: readonly string[];
  /** The names that every language has. */
  readonly names: readonly string[];
  textOf(language: string, name: string): string;
}

/** The name of a label, such as `total` in `{{@labels.total}}`. */
const labelName = /^[\p{ID_Continue}$-]+$/u;

/**
 * Reads the labels of a template, such as `{"en":{"total":"Total"},"de":{"total":"Summe"}}`.
 *
 * @throws {FaultyTemplate} if a language lacks a label that another one has
 */
export function parseLabels(json: unknown, source: TemplateSource): Labels {
  const texts = new Map<string, ReadonlyMap<string, string>>();
  if (!isJsonObject(json) || Object.keys(json).length === 0) {
    throw source.faultAt(
      ["labels"],
      'must be an object with texts by language, such as {"en":{"total":"Total"}}.',
    );
  }
  for (const [language, labels] of Object.entries(json)) {
    if (!isLocale(language)) {
      throw source.faultAt(
        ["labels", language],
        'must be a language or a locale, such as "en" or "de-AT".',
        "name",
      );
    }
    if (!isJsonObject(labels)) throw source.faultAt(["labels", language], "must be an object with texts.");
    texts.set(language, new Map(Object.entries(labels) as [string, string][]));
    for (const [name, text] of Object.entries(labels)) {
      const place = ["labels", language, name];
      if (typeof text !== "string") throw source.faultAt(place, "must be a text.");
      if (!labelName.test(name)) {
        throw source.faultAt(place, "is not a valid name. Use letters, digits, _, - and $.", "name");
      }
    }
  }
  const names = [...new Set([...texts.values()].flatMap((labels) => [...labels.keys()]))];
  for (const [language, labels] of texts) {
    const missing = names.find((name) => !labels.has(name));
    if (missing !== undefined) {
      const problem = `has no ${JSON.stringify(missing)}, which another language has. Add it.`;
      throw source.faultAt(["labels", language], problem);
    }
  }
  return {
    languages: [...texts.keys()],
    names,
    textOf: (language, name) => texts.get(language)?.get(name) ?? "",
  };
}

/** Selects the language for a locale: `de-AT` itself, otherwise `de`, otherwise another `de-…`. */
export function languageFor(locale: string, languages: readonly string[]): string | undefined {
  const parts = locale.toLowerCase().split("-");
  for (let length = parts.length; length > 0; length -= 1) {
    const wanted = parts.slice(0, length).join("-");
    const found = languages.find((language) => language.toLowerCase() === wanted);
    if (found !== undefined) return found;
  }
  return languages.find((language) => language.toLowerCase().startsWith(`${parts[0]}-`));
}

/** Whether a text is a locale that this runtime knows. */
export function isLocale(text: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(text).length > 0;
  } catch {
    return false;
  }
}
