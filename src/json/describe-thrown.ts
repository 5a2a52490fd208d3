/** What was thrown, as text: templates may throw anything. */
export function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return "something that is no text";
  }
}
