/**
 * How many bytes a page loads, minified and gzipped, as esbuild makes them of `dist`: these keep what was reached.
 * docs/decisions/0017-browser-bundle-size.md says what each part costs.
 */
const limits = [
  ["{ TemplatePdf }", "dist/index.js", 22_800],
  ["{ TemplatePdf, template }", "dist/index.js", 23_650],
  ["{ TemplatePdfError }", "dist/index.js", 470],
  ["{ download, objectUrl }", "dist/browser/index.js", 1_190],
];

export default limits.map(([names, path, bytes]) => ({
  name: names,
  import: names,
  path,
  limit: `${bytes} B`,
  gzip: true,
  // The paths of our own tsconfig.json lead to the sources, and to the Node variants.
  modifyEsbuildConfig: (options) => ({ ...options, tsconfigRaw: {}, platform: "browser", logLevel: "error" }),
}));
