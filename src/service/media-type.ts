/** A media type as a `content-type` header names it, such as `application/json; charset=utf-8`. */
export interface MediaType {
  /** Type and subtype in lower case. */
  readonly type: string;
  /** The values by name. Names are in lower case, and values are without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** One `;` and the parameter behind it, which may be missing. It is anchored, so every character is tried once. */
const nextParameter =
  /^;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)"))?[ \t]*/;

/**
 * Reads a media type in time linear in its length. Malformed parameters are skipped.
 *
 * @param text - the value of the header
 * @returns the type and the well-formed parameters. Of two parameters with one name, the first counts
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6
 */
export function readMediaType(text: string): MediaType {
  const [type = ""] = text.split(";", 1);
  const parameters = new Map<string, string>();
  let rest = text.slice(type.length);
  while (rest !== "") {
    const [read = ";", name, token, quoted = ""] = nextParameter.exec(rest) ?? [];
    const next = rest.indexOf(";", read.length);
    const end = next === -1 ? rest.length : next;
    const key = name?.toLowerCase();
    if (key !== undefined && end === read.length && !parameters.has(key)) {
      parameters.set(key, token ?? quoted.replace(/\\(.)/g, "$1"));
    }
    rest = rest.slice(end);
  }
  return { type: type.trim().toLowerCase(), parameters };
}
