export function medianOf(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns a quantile. */
export function percentileOf(sorted, part) {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

/** Rounds to four digits, enough for a ratio with two decimals. Large numbers keep all integer digits. */
export function fourDigits(number) {
  return number >= 1_000 ? Math.round(number) : Number(number.toPrecision(4));
}

/** Formats three digits. Large numbers keep all integer digits. */
export function inDigits(number = Number.NaN) {
  if (Number.isNaN(number)) return "–";
  return number >= 100 ? Math.round(number).toLocaleString("en") : number.toPrecision(3);
}

export function inTwoDigits(number) {
  return Number.isNaN(number) ? "–" : number.toFixed(2);
}

export function sizeOf(bytes) {
  return bytes >= 1e6 ? `${bytes / 1e6} MB` : `${bytes / 1e3} kB`;
}
