/** Returns the known name that is most similar to a name, if one is similar enough. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest, similarity] = known
    .map((other) => [other, similarityOf(name, other)] as const)
    .reduce((best, next) => (next[1] > best[1] ? next : best));
  return similarity > 0.5 ? nearest : undefined;
}

/** The share of pairs of adjacent letters that two names have in common, from 0 to 1 (Dice's coefficient). */
function similarityOf(name: string, other: string): number {
  const pairs = pairsOf(name);
  const others = pairsOf(other);
  return (2 * pairs.filter((pair) => others.includes(pair)).length) / (pairs.length + others.length);
}

function pairsOf(name: string): string[] {
  const padded = `^${name.toLowerCase()}$`;
  return Array.from({ length: padded.length - 1 }, (_, index) => padded.slice(index, index + 2));
}
