/** What browsers load in place of `filenames.ts`: they make the name of a download safe for their system themselves. */
export function safeFilename(name: string): string | undefined {
  const safe = name.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}"*:<>?|]/gu, "_");
  return safe.replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "") || undefined;
}
