/** The end of every temporary file's name. */
export const draftEnding = ".template-pdf";

/** File systems allow 255 bytes for a name. This leaves room for an extension and for suffixes of browsers, such as " (1)". */
const maxStemBytes = 240;

/** Characters that break file systems or readers: separators, control characters, text direction marks, lone surrogates. */
const unsafe = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}"*/:<>?\\|]/gu;

/** Names that Windows reserves for devices, whatever the extension. It treats superscript digits as digits. */
const device = /^(?:con|prn|aux|nul|con(?:in|out)\$|(?:com|lpt)[\d¹²³])\s*(?:\.|$)/i;

/** What Windows does not allow in a name, or removes from its end. */
const forbiddenOnWindows = /[\p{Cc}\\/:*?"<>|]|[. ]$/u;

/**
 * Returns a file name that is safe on every system: unsafe characters become `_`, dots and white space are trimmed from both
 * ends, and a long name is truncated between characters, keeping its extension.
 *
 * @param name - the requested name, without a folder
 * @returns the name, or `undefined` if nothing is left
 */
export function safeFilename(name: string): string | undefined {
  // A leading dot hides a file on Unix, and Windows drops trailing dots and spaces.
  const clean = trimEnds(name.replace(unsafe, "_"));
  if (clean === "") return undefined;
  const extension = /(?<=.)\.\w{1,8}$/.exec(clean)?.[0] ?? "";
  const stem = trimEnds(cut(clean.slice(0, clean.length - extension.length)));
  return `${device.test(stem) ? "_" : ""}${stem}${extension}`;
}

/**
 * Returns the reason Windows does not allow a file name, or `undefined` if it does. Node bypasses the naming rules: a `NUL.pdf`
 * or a `draft.` is created and then cannot be deleted by hand, and a `:` opens a hidden stream.
 */
export function objectionOfWindows(name: string): string | undefined {
  if (device.test(name)) return "Windows reserves this name for a device";
  if (forbiddenOnWindows.test(name)) {
    return 'Windows does not allow \\ / : * ? " < > |, control characters, or a dot or space at the end of a name';
  }
  // Windows counts UTF-16 code units, as JavaScript does, not bytes.
  return name.length > 255 ? "its name is too long" : undefined;
}

/** The lookbehind prevents quadratic time for runs of spaces. */
function trimEnds(text: string): string {
  return text.replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "");
}

/** Truncates at a character boundary: the encoder stops before a character that does not fit. */
function cut(stem: string): string {
  return stem.slice(0, new TextEncoder().encodeInto(stem, new Uint8Array(maxStemBytes)).read);
}
