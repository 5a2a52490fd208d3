import { safeFilename } from "../files/filenames.ts";

/**
 * Returns a safe file name without a folder from `content-disposition` (RFC 6266, with the encoding of RFC 8187), or `undefined`.
 *
 * @param withoutKey - removes secrets before the name is shortened
 */
export function filenameOf(
  disposition: string | undefined,
  withoutKey: (name: string) => string,
): string | undefined {
  if (!disposition) return undefined;
  const parameters = readParameters(disposition);
  const extended = parameters.get("filename*");
  const names = [extended && decodeExtended(extended), parameters.get("filename")];
  for (const name of names) {
    const bare = name && bareName(withoutKey(name));
    if (bare) return bare;
  }
  return undefined;
}

/** Reads `; name=token` and `; name="quoted \" string"` pairs. If a name is repeated, its first value counts. */
function readParameters(disposition: string): Map<string, string | undefined> {
  const parameters = new Map<string, string | undefined>();
  const pattern = /;\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g;
  for (const [, name = "", quoted, token] of disposition.matchAll(pattern)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? token);
  }
  return parameters;
}

/** Decodes `UTF-8'en'%C2%A3%20rates`; `undefined` if it is malformed, so that `filename` is used. */
function decodeExtended(value: string): string | undefined {
  const utf8 = /^utf-8'[^']*'(.*)/i.exec(value)?.[1];
  const latin1 = /^iso-8859-1'[^']*'(.*)/i.exec(value)?.[1];
  try {
    if (utf8 !== undefined) return decodeURIComponent(utf8);
  } catch {
    // Malformed percent-encoding.
  }
  return latin1?.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Removes the folder, because a name must not select one. */
function bareName(name: string): string | undefined {
  return safeFilename(name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1));
}
