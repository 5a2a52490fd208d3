/** Decodes the escapes of JSON, JavaScript, URLs and HTML. */

/** Matches one escape, or a run of backslashes that escapes nothing. The lookbehind avoids quadratic time for long runs. */
const escapes =
  /(?<!\\)(?:\\+(?:u([\da-f]{4})|u\{([\da-f]{1,8})\}|x([\da-f]{2})|([nrt])|(["'/]))|\\{2,})|%([0-7][\da-f])|((?:%[cd][\da-f]|%e[\da-f]%[89ab][\da-f]|%f[0-7](?:%[89ab][\da-f]){2})%[89ab][\da-f])|%[89a-f][\da-f]|&#x([\da-f]{1,15});?|&#(\d{1,15});?|&([a-z]{2,6});/gi;

/** Matches an incomplete escape at the end of a string. */
const partialEscape = /(?:\\(?:u\{?[\da-f]{0,5}|x[\da-f]?)?|%[\da-f]?|&#?[\da-z]{0,6})$/i;

/** HTML's named references for the characters that a key can contain. Other references become a space. */
const named: { readonly [name: string]: string | undefined } = Object.fromEntries(
  (
    "amp& apos' equals= grave` gt> lt< plus+ quot\" sol/ bsol\\ lowbar_ hyphen- dash- period. colon: semi; comma, " +
    "percnt% commat@ num# excl! quest? dollar$ ast* lpar( rpar) lsqb[ rsqb] lcub{ rcub} verbar| hat^ tilde~"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
);

/** The maximum number of times that nested escapes such as `%2526` are decoded: more than a chain of proxies adds. */
const maxRounds = 4;

/** A decoded string, and the positions of its characters in the source. */
export interface DecodedText {
  readonly text: string;
  /** Converts an index in `text`, or its length, to an index in the source. */
  readonly sourceIndexOf: (index: number) => number;
}

/** Wraps a string that is not decoded. */
export function asWritten(text: string): DecodedText {
  return { text, sourceIndexOf: (index) => index };
}

/** Decodes the escapes in a string, including nested ones. */
export function decodeEscapes(source: string): DecodedText {
  let decoded = asWritten(source);
  for (let round = 0; round < maxRounds && /[%\\&]/.test(decoded.text); round++) {
    const next = decodeOnce(decoded);
    if (next.text === decoded.text) break;
    decoded = next;
  }
  return decoded;
}

/** Removes an incomplete escape at the end of a string. */
export function withoutPartialEscape(text: string): string {
  return text.replace(partialEscape, "");
}

function decodeOnce({ text: source, sourceIndexOf }: DecodedText): DecodedText {
  let text = "";
  let end = 0;
  const indexes: number[] = [];
  const keepUntil = (next: number) => {
    text += source.slice(end, next);
    for (; end < next; end++) indexes.push(end);
  };
  for (const match of source.matchAll(escapes)) {
    keepUntil(match.index);
    const characters = decodeMatch(match);
    text += characters;
    for (let count = 0; count < characters.length; count++) indexes.push(match.index);
    end = match.index + match[0].length;
  }
  keepUntil(source.length);
  return { text, sourceIndexOf: (index) => sourceIndexOf(indexes[index] ?? source.length) };
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
