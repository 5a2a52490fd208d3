/**
 * How many bytes a page loads, minified and gzipped, as esbuild makes them of `dist`: these keep what was reached.
 * docs/decisions/0017-what-a-page-has-to-load.md says what each part costs.
 */
const limits = [
  ["{ TemplatePdf }", "dist/index.js", 21_050],
  ["{ TemplatePdf, template }", "dist/index.js", 21_900],
  ["{ TemplatePdfError }", "dist/index.js", 450],
  ["{ download, objectUrl }", "dist/browser/index.js", 1_200],
];

export default limits.map(([names, path, bytes]) => ({
  name: names,
  import: names,
  path,
  limit: `${bytes} B`,
  gzip: true,
  // The paths of our own tsconfig.json lead to the sources, and to the twins for Node.
  modifyEsbuildConfig: (options) => ({ ...options, tsconfigRaw: {}, platform: "browser", logLevel: "error" }),
}));
