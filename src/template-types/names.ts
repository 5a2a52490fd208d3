/** Words that cannot be the name of a constant, and the names that the written file already uses. */
const taken = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export exports " +
    "extends false finally for function globalThis if implements import in instanceof interface let new null " +
    "package private protected public require return static super switch this throw true try typeof undefined var " +
    "void while with yield template typed z"
  ).split(" "),
);

/** The names of a template in the written file. */
export interface TemplateNames {
  /** The constant that `template()` returns. */
  readonly constant: string;
  /** The constant that holds the zod schema. */
  readonly schema: string;
  readonly values: string;
}

/** An error about two templates that would have the same name. */
export class NameClash extends Error {
  override readonly name = "NameClash";
}

/**
 * Names templates after the words of their uids.
 *
 * @throws {NameClash} if two would have the same name
 */
export function nameTemplates(
  uids: readonly string[],
  withSchemas: boolean,
): ReadonlyMap<string, TemplateNames> {
  const owners = new Map<string, string>();
  const named = new Map<string, TemplateNames>();
  for (const uid of uids) {
    const base = camelCase(uid);
    const constant = taken.has(base) ? `${base}Template` : base;
    const [schema, values] = [schemaName(constant), `${capitalized(base)}Values`];
    for (const name of withSchemas ? [constant, values, schema] : [constant, values]) {
      const owner = owners.get(name);
      if (owner !== undefined && owner !== uid) {
        const both = `${JSON.stringify(owner)} and ${JSON.stringify(uid)}`;
        throw new NameClash(
          `The templates ${both} would both be called ${JSON.stringify(name)}: write one of them to another file.`,
        );
      }
      owners.set(name, uid);
    }
    named.set(uid, { constant, schema, values });
  }
  return named;
}

/** The name of the schema for a constant or type. */
export function schemaName(name: string): string {
  return `${uncapitalized(name)}Schema`;
}

/**
 * Names the definitions of a template, which are not public. Equal names are numbered.
 *
 * @param used - the names that are already used, to which the new ones are added
 */
export function nameDefinitions(
  uid: string,
  definitions: readonly string[],
  used: Set<string>,
): Map<string, string> {
  const names = new Map<string, string>();
  /** The number of names that were tried for each base name. */
  const counts = new Map<string, number>();
  for (const definition of definitions) {
    const base = capitalized(camelCase(uid)) + capitalized(camelCase(definition));
    let count = counts.get(base) ?? 0;
    let name: string;
    do {
      count += 1;
      name = count === 1 ? base : `${base}${count}`;
    } while (used.has(name) || used.has(schemaName(name)));
    counts.set(base, count);
    used.add(name).add(schemaName(name));
    names.set(definition, name);
  }
  return names;
}

/** `inv_2024` → `inv2024`, `credit-note` → `creditNote`, `PDFInvoice` → `pdfInvoice`. */
function camelCase(text: string): string {
  const words = text.normalize("NFC").match(/[\p{L}\p{Nd}\p{Nl}\p{Mn}\p{Mc}]+/gu) ?? [];
  const isLoud = !words.some((word) => /\p{Ll}/u.test(word));
  const [first = "unnamed", ...rest] = isLoud ? words.map((word) => word.toLowerCase()) : words;
  const camel = [uncapitalized(first), ...rest.map(capitalized)].join("").normalize("NFC");
  return /^\p{ID_Start}/u.test(camel) ? camel : `template${camel}`;
}

function capitalized(word: string): string {
  return word.replace(/^./u, (letter) => {
    const capital = letter.toUpperCase();
    return [...capital].length === 1 ? capital : letter;
  });
}

/** An acronym ends at the start of the next word. */
function uncapitalized(word: string): string {
  return word.replace(/^\p{Lu}+(?=\p{Lu}\p{Ll})|^\p{Lu}+$|^\p{Lu}/u, (capitals) => capitals.toLowerCase());
}
