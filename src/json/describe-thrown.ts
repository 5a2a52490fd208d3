/** Returns the message of an error, or another thrown value as a string. */
export function describeThrown(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return "a value that cannot be converted to a string";
  }
}
