/** The browser variant of `filenames.ts`: browsers make the names of downloads safe for the system. */
export function safeFilename(name: string): string | undefined {
  const safe = name.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}"*:<>?|]/gu, "_");
  return safe.replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "") || undefined;
}
