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
  const html = (write: (code: number) => string) =>
    text.replace(/[&<>"'/`=+]/g, (character) => write(character.charCodeAt(0)));
  const named = text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
  const inUrl = encodeURIComponent(text);
  const spellings = [
    text,
    json,
    json.replaceAll("/", "\\/"),
    json.replace(/[<>&'+/]/g, (character) => `\\u${hex(character.charCodeAt(0), 4)}`),
    json.replace(/[<>&'+]/g, (character) => `\\u${hex(character.charCodeAt(0), 4).toUpperCase()}`),
    named,
    named.replaceAll("'", "&#39;"),
    named.replaceAll("'", "&#x27;"),
    html((code) => `&#${code};`),
    html((code) => `&#x${hex(code, 2)};`),
    text
      .replace(/[&<>]/g, (character) => entities[character] ?? character)
      .replaceAll('"', "&#34;")
      .replaceAll("'", "&#x27;")
      .replaceAll("/", "&#x2F;"),
    inUrl,
    inUrl.replace(/[!'()*~]/g, (character) => `%${hex(character.charCodeAt(0), 2).toUpperCase()}`),
    inUrl.replace(/%[\dA-F]{2}/g, (escaped) => escaped.toLowerCase()),
    btoa(text),
  ];
  return [...new Set(spellings)].sort((a, b) => b.length - a.length);
}

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}
