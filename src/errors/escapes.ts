/** Undoes what JSON, JavaScript, URLs and HTML escape. */

/**
 * One escape, or a run of backslashes that escapes nothing. Looks behind, so that a run is tried once, and not again from
 * each of its backslashes.
 */
const escapes =
  /(?<!\\)(?:\\+(?:u([\da-f]{4})|u\{([\da-f]{1,8})\}|x([\da-f]{2})|([nrt])|(["'/]))|\\{2,})|%([0-7][\da-f])|((?:%[cd][\da-f]|%e[\da-f]%[89ab][\da-f]|%f[0-7](?:%[89ab][\da-f]){2})%[89ab][\da-f])|%[89a-f][\da-f]|&#x([\da-f]{1,15});?|&#(\d{1,15});?|&([a-z]{2,6});/gi;

/** What of an escape may be left where a text is cut. */
const partialEscape = /(?:\\(?:u\{?[\da-f]{0,5}|x[\da-f]?)?|%[\da-f]?|&#?[\da-z]{0,6})$/i;

const longestPartialEscape = 8;

/** The named references of HTML for the characters that a key can have. All others become a space. */
const named: { readonly [name: string]: string | undefined } = Object.fromEntries(
  (
    "amp& apos' equals= grave` gt> lt< plus+ quot\" sol/ bsol\\ lowbar_ hyphen- dash- period. colon: semi; comma, " +
    "percnt% commat@ num# excl! quest? dollar$ ast* lpar( rpar) lsqb[ rsqb] lcub{ rcub} verbar| hat^ tilde~"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
);

/** How many escapes within escapes are undone, such as `%2526`: more than any chain of proxies applies. */
const maxRounds = 4;

/** Undoes the escapes of a text, and escapes within escapes. */
export function decodeEscapes(source: string): string {
  let text = source;
  for (let round = 0; round < maxRounds; round++) {
    const decoded = decodeOnce(text);
    if (decoded === text) break;
    text = decoded;
  }
  return text;
}

/** Where each character of a text's {@link decodeEscapes}, and its end, is in the text. */
export function decodedPositions(source: string): readonly number[] {
  let text = source;
  let positions = Array.from({ length: source.length + 1 }, (_, at) => at);
  for (let round = 0; round < maxRounds; round++) {
    const earlier = positions;
    const later: number[] = [];
    const decoded = decodeOnce(text, later);
    if (decoded === text) break;
    positions = later.map((at) => earlier[at] ?? 0);
    text = decoded;
  }
  return positions;
}

/** Removes an escape that is cut off by the end of the text. */
export function withoutPartialEscape(text: string): string {
  const end = text.slice(-longestPartialEscape);
  return text.slice(0, text.length - end.length) + end.replace(partialEscape, "");
}

/** @param positions - gets where each character, and the end, is in the source */
function decodeOnce(source: string, positions?: number[]): string {
  if (!/[%\\&]/.test(source)) return source;
  let text = "";
  let end = 0;
  const keepUntil = (next: number) => {
    text += source.slice(end, next);
    if (positions) for (let at = end; at < next; at++) positions.push(at);
  };
  for (const match of source.matchAll(escapes)) {
    keepUntil(match.index);
    const characters = decodeMatch(match);
    text += characters;
    for (let at = 0; at < characters.length; at++) positions?.push(match.index);
    end = match.index + match[0].length;
  }
  keepUntil(source.length);
  positions?.push(source.length);
  return text;
}

function decodeMatch(match: RegExpExecArray): string {
  const [whole, unicode, braced, byte, space, escaped, ascii, utf8, htmlHex, htmlDecimal, name] = match;
  if (space) return " ";
  if (escaped) return escaped;
  const hex = unicode ?? braced ?? byte ?? ascii ?? htmlHex;
  if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
  if (htmlDecimal !== undefined) return characterOf(Number(htmlDecimal));
  if (name !== undefined) return named[name.toLowerCase()] ?? " ";
  if (utf8 !== undefined) return decodeUtf8(utf8);
  return whole.startsWith("\\") ? "\\" : " ";
}

function decodeUtf8(percentEncoded: string): string {
  try {
    return decodeURIComponent(percentEncoded);
  } catch {
    return " ";
  }
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : " ";
}
