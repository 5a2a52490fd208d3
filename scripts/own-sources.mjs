// @ts-check

/** The path of a file of ours, as either system writes it: for what esbuild is to load in another way. */
export const ownSources = /[\\/]src[\\/].*\.ts$/;
