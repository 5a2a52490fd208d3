// @ts-check
/**
 * @param {readonly number[]} numbers - at least one
 * @returns {number}
 */
export function medianOf(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * The number that so large a part of all do not exceed.
 *
 * @param {ArrayLike<number>} sorted - ascending
 * @param {number} part - 0.99 for p99
 * @returns {number}
 */
export function percentileOf(sorted, part) {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
