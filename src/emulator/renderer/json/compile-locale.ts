import { formatJsonPath } from "../../../request/serialize-values.ts";
import type { IssueList } from "../issue-list.ts";
import { defaultLocale, mistake, requireValue, type Spot, shapeAt } from "./compile-text.ts";
import { isLocale, type Labels, languageFor } from "./labels.ts";
import { onlyValueIn } from "./placeholders.ts";
import { pathTo, type Scope, valueAt } from "./scope.ts";

/** The locale of a document, and the language of its labels. */
interface Languages {
  readonly locale: string;
  readonly language: string;
}

/** Compiles the `locale` of a template: a constant, or one placeholder such as `{{locale}}` or `{{customer.locale?}}`. */
export function compileLocale(
  json: unknown,
  labels: Labels | undefined,
  spot: Spot,
): (scope: Scope, issues: IssueList) => Languages {
  const languages = labels?.languages ?? [];
  const languageOf = (locale: string) => (labels === undefined ? "" : languageFor(locale, languages));
  if (typeof json !== "string" || !json.includes("{{")) {
    const locale = json ?? defaultLocale;
    if (typeof locale !== "string" || !isLocale(locale)) {
      throw mistake(
        spot,
        `must be a locale, such as "${defaultLocale}" or "de-DE", or a value, such as "{{locale}}".`,
      );
    }
    const language = languageOf(locale);
    if (language !== undefined) return () => ({ locale, language });
    throw mistake(
      spot,
      `is ${locale}, which is not one of the languages of \`labels\`: ${languages.join(", ")}. Add it.`,
    );
  }
  const { path, isOptional } = parseLocale(json, spot);
  shapeAt(path, spot).formatted = languages[0] ?? defaultLocale;
  if (!isOptional) requireValue(path, spot);
  const place = formatJsonPath(spot.place);
  return (scope, issues) => {
    const value = valueAt(scope, path);
    const isMissing = value === null || (value === undefined && isOptional);
    const locale = isMissing ? defaultLocale : value;
    const isKnown = typeof locale === "string" && isLocale(locale);
    const language = isKnown ? languageOf(locale) : undefined;
    if (isKnown && language !== undefined) return { locale, language };
    const among =
      labels === undefined
        ? "a locale (BCP 47)"
        : `a locale in one of these languages: ${languages.join(", ")}`;
    const message = value === undefined && !isOptional ? "has no value" : `must be ${among}`;
    issues.add({ path: pathTo(scope, path), message, place });
    return { locale: defaultLocale, language: languages[0] ?? "" };
  };
}

function parseLocale(text: string, spot: Spot) {
  const value = onlyValueIn(text, (problem) => mistake(spot, problem));
  if (value) return value;
  throw mistake(
    spot,
    'can contain one placeholder without a format, such as "{{locale}}", and no other text.',
  );
}
