/** The most that a timer can wait, in milliseconds (24.8 days): one that is set for longer fires at once. */
export const longestTimerMs = 2 ** 31 - 1;
