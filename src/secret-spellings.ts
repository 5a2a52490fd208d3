/** How JSON, URLs, HTML and base64 write a secret. */

/** The last key that was spelled: most programs have one, and look for it in every answer. */
let spelled: { readonly key: string; readonly spellings: readonly string[] } | undefined;

/** A key in every spelling that a service may repeat it in, longest first. */
export function spellingsOf(key: string): readonly string[] {
  if (spelled?.key !== key) spelled = { key, spellings: spell(key) };
  return spelled.spellings;
}

/** A text as it is, and as JSON, URLs and HTML spell it, longest first. */
function spell(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text);
  const brackets = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const named = brackets.replaceAll('"', "&quot;");
  const inHtml = /[&<>"'/`=+]/g;
  const spellings = [
    text,
    json,
    json.replaceAll("/", "\\/"),
    respell(json, /[<>&'+/]/g, (hex) => `\\u00${hex}`),
    respell(json, /[<>&'+]/g, (hex) => `\\u00${hex.toUpperCase()}`),
    named,
    named.replaceAll("'", "&#39;"),
    named.replaceAll("'", "&#x27;"),
    respell(text, inHtml, (hex) => `&#${Number.parseInt(hex, 16)};`),
    respell(text, inHtml, (hex) => `&#x${hex};`),
    brackets.replaceAll('"', "&#34;").replaceAll("'", "&#x27;").replaceAll("/", "&#x2F;"),
    url,
    respell(url, /[!'()*~]/g, (hex) => `%${hex.toUpperCase()}`),
    url.replace(/%../g, (escaped) => escaped.toLowerCase()),
    btoa(text),
  ];
  return [...new Set(spellings)].sort((a, b) => b.length - a.length);
}

/**
 * Writes some characters of a text in another way.
 *
 * @param write - gets the code of a character: two hexadecimal digits
 */
function respell(text: string, characters: RegExp, write: (hex: string) => string): string {
  return text.replace(characters, (character) => write(character.charCodeAt(0).toString(16)));
}
