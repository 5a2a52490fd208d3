/** The rule of an option that counts something of which there is at least one. */
export const isPositiveCount = {
  words: "a whole number, 1 or more",
  test: (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1,
};
