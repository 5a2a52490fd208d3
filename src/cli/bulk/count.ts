const grouped = new Intl.NumberFormat("en-US");

/** Writes a number as people read it: `1,200`. */
export function formatCount(count: number): string {
  return grouped.format(count);
}

/** Writes how many there are of something: `1 row`, `1,200 rows`. */
export function countOf(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
}
