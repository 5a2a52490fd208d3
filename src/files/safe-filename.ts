/** File systems take 255 bytes a name; the rest is for an extension and for what a browser adds, such as " (1)". */
const maxStemBytes = 240;

/** What file systems or readers trip over: separators, control characters, text direction marks, half characters. */
const unsafe = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}"*/:<>?\\|]/gu;

/** Windows keeps these names for devices, whatever the extension; it takes small raised digits for digits. */
export const device = /^(?:con|prn|aux|nul|con(?:in|out)\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i;

/**
 * Makes a file name that is safe on every system: unsafe characters become `_`, the ends are neither dots nor
 * white space, and a long name is cut to whole characters with its extension kept.
 *
 * @param name - the name wished for, without a folder
 * @returns the name, or `undefined` where nothing of it is left
 */
export function safeFilename(name: string): string | undefined {
  // Neither hidden on Unix nor altered on Windows, which drops trailing dots and spaces.
  const clean = trimEnds(name.replace(unsafe, "_"));
  if (clean === "") return undefined;
  const extension = /(?<=.)\.\w{1,8}$/.exec(clean)?.[0] ?? "";
  const stem = trimEnds(cut(clean.slice(0, clean.length - extension.length)));
  return `${device.test(stem) ? "_" : ""}${stem}${extension}`;
}

/** Looks behind, so that a run of spaces is tried once, and not again from each of them. */
function trimEnds(text: string): string {
  return text.replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "");
}

/** Only whole characters are encoded, as far as there is room for them. */
function cut(stem: string): string {
  return stem.slice(0, new TextEncoder().encodeInto(stem, new Uint8Array(maxStemBytes)).read);
}
