const { FUZZ_RUNS = "300" } = process.env;

/** What every `fc.assert` takes beside its property: 300 runs, or as many as the environment's `FUZZ_RUNS`. */
export const fuzz = { numRuns: Number(FUZZ_RUNS) };
