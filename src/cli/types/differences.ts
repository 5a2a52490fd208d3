/** The maximum number of templates or properties in a message. */
const maxNamed = 5;

/**
 * Describes how a file that `types` wrote differs from its current output, by template and property.
 *
 * @returns a text such as `invoice (note, total), letter (new)`; `undefined` if only other lines differ
 */
export function describeDifferences(written: string, text: string): string | undefined {
  const [before, after] = [templatesIn(written), templatesIn(text)];
  const found: string[] = [];
  for (const uid of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(uid), after.get(uid)];
    if (old === undefined) found.push(`${uid} (new)`);
    else if (now === undefined) found.push(`${uid} (removed)`);
    else if (old.join("\n") !== now.join("\n")) found.push(`${uid}${membersOf(old, now)}`);
  }
  return found.length > 0 ? listOf(found) : undefined;
}

const headline = /^\/\*\* (?:Checks the values|Values) of the template `([^`]*)`, as in /;

/** Returns the lines of each template by uid: from its headings to the end of its declarations. */
function templatesIn(text: string): Map<string, string[]> {
  const templates = new Map<string, string[]>();
  let lines: string[] | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, uid] = headline.exec(line) ?? [];
    if (uid !== undefined) {
      lines = templates.get(uid) ?? [];
      templates.set(uid, lines);
    } else if (line.startsWith("/**")) lines = undefined;
    else lines?.push(line);
  }
  return templates;
}

/** Returns the properties whose lines differ between two declarations. */
function membersOf(old: readonly string[], now: readonly string[]): string {
  const changed = [
    ...now.filter((line) => !old.includes(line)),
    ...old.filter((line) => !now.includes(line)),
  ];
  const names = changed
    .map((line) => /^\s+(?:"(.+?)"|([\w$]+))\??:/.exec(line))
    .map((match) => match?.[1] ?? match?.[2]);
  const distinct = [...new Set(names.filter((name) => name !== undefined))];
  return distinct.length > 0 ? ` (${listOf(distinct)})` : "";
}

function listOf(names: readonly string[]): string {
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return names.slice(0, maxNamed).join(", ") + more;
}
