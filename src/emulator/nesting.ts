/** How deep JSON may be nested: far deeper than a document needs, and far less than the stack holds. */
const maxDepth = 500;

/** Whether a JSON value is nested so deep that a function which calls itself could not walk it. */
export function isTooDeep(json: unknown): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      for (const member of Object.values(value)) if (typeof member === "object") next.push(member);
    }
    level = next;
  }
  return false;
}

export const tooDeep = `is nested deeper than ${maxDepth} levels`;
