/** Words in a row: `a`, `a and b`, `a, b and c`. */
export function inWords(words: readonly (string | number)[]): string {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" and ");
}

/** A number of bytes, such as `64 KiB`. */
export function inBinaryUnits(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  const step = Math.floor(Math.log2(bytes) / 10);
  return `${bytes / 1024 ** step} ${units[step]}`;
}
