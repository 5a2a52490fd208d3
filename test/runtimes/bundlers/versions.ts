/** The bundlers that the tests install, by their names. */
export const bundlers = { vite: "8.3.8", webpack: "5.112.2", esbuild: "0.28.2", rollup: "4.68.7" };

/** The newest Next.js, whose newest version still runs on Node 20. */
export const nextVersion = "16.4.6";
