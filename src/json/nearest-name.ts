/** Returns the known name that is most similar to a name, if one is similar enough. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const best = known
    .map((other) => ({ other, similarity: similarityOf(name, other) }))
    .reduce((one, next) => (next.similarity > one.similarity ? next : one), { other: "", similarity: 0.5 });
  return best.similarity > 0.5 ? best.other : undefined;
}

/** The share of pairs of adjacent letters that two names have in common, from 0 to 1 (Dice's coefficient). */
function similarityOf(name: string, other: string): number {
  // Swapped letters change most pairs of a short name.
  if (sortLetters(name) === sortLetters(other)) return 1;
  const pairs = pairsOf(name);
  const others = pairsOf(other);
  return (2 * pairs.filter((pair) => others.includes(pair)).length) / (pairs.length + others.length);
}

function sortLetters(name: string): string {
  return [...name.toLowerCase()].sort().join("");
}

function pairsOf(name: string): string[] {
  const padded = `^${name.toLowerCase()}$`;
  return Array.from({ length: padded.length - 1 }, (_, index) => padded.slice(index, index + 2));
}
