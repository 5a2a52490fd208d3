// Builds every bundle with one bundler, and prints a line of JSON for each: `node build.mjs <bundler>`.
import { mkdirSync, writeFileSync } from "node:fs";

const [bundler] = process.argv.slice(2);
const { [bundler]: bundle } = { vite, webpack, esbuild, rollup };

/** The entries that are measured: the client alone, with templates, and what needs no client. */
const sizes = {
  client: 'import { TemplatePdf } from "template-pdf"; globalThis.used = TemplatePdf;',
  template:
    'import { TemplatePdf, template } from "template-pdf"; globalThis.used = [TemplatePdf, template];',
  helpers:
    'import { download, objectUrl } from "template-pdf/browser"; globalThis.used = [download, objectUrl];',
};
const entries = { page: "app/page.js" };
mkdirSync(`sizes-${bundler}`, { recursive: true });
for (const [title, code] of Object.entries(sizes)) {
  entries[title] = `sizes-${bundler}/${title}.js`;
  writeFileSync(entries[title], code);
}
for (const [title, entry] of Object.entries(entries)) await report(title, entry, "page");
if (bundler !== "rollup") await report("a server with undici", "app/server.js", "inside");
if (bundler !== "rollup" && bundler !== "webpack")
  await report("a server without undici", "app/server.js", "outside");
if (bundler === "esbuild") await report("an edge worker", "app/server.js", "edge");

async function report(title, entry, kind) {
  const outDir = `out/${bundler}/${title}`;
  const built = { title, warnings: [], modules: [], external: [], file: "main.js" };
  await bundle(entry, kind, `${process.cwd()}/${outDir}`, built);
  console.log(JSON.stringify({ ...built, folder: outDir }));
}

async function esbuild(entry, kind, outdir, built) {
  const { build } = await import("esbuild");
  const options = {
    page: { format: "esm", platform: "browser", splitting: true },
    inside: { format: "cjs", platform: "node", outExtension: { ".js": ".cjs" } },
    outside: { format: "esm", platform: "node", external: ["undici"] },
    edge: { format: "esm", conditions: ["workerd"] },
  }[kind];
  const { metafile, warnings } = await build({
    ...{ bundle: true, minify: true, metafile: true, logLevel: "silent" },
    ...{ entryPoints: [{ in: entry, out: "main" }], outdir },
    ...options,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  if (kind === "inside") built.file = "main.cjs";
  built.warnings = warnings.map(({ text }) => text);
  built.modules = Object.keys(metafile.inputs);
  built.external = imports.filter(({ external }) => external).map(({ path }) => path);
}

/** A plugin for Rollup and Vite that records the modules in a bundle and those that it loads from outside. */
function noteModules(built) {
  return {
    name: "note-modules",
    generateBundle(_, output) {
      const chunks = Object.values(output).filter(({ type }) => type === "chunk");
      const own = new Set(chunks.map(({ fileName }) => fileName));
      built.file = chunks.find(({ isEntry }) => isEntry).fileName;
      built.modules = chunks.flatMap(({ modules }) => Object.keys(modules));
      const imports = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
      built.external = imports.filter((name) => !own.has(name));
    },
  };
}

async function rollup(input, _kind, dir, built) {
  const { default: terser } = await import("@rollup/plugin-terser");
  const { nodeResolve } = await import("@rollup/plugin-node-resolve");
  const { rollup: start } = await import("rollup");
  const plugins = [nodeResolve({ browser: true }), noteModules(built)];
  const bundled = await start({ input, plugins, onwarn: ({ message }) => built.warnings.push(message) });
  await bundled.write({ dir, entryFileNames: "main.js", plugins: [terser()] });
}

async function vite(entry, kind, outDir, built) {
  const { build } = await import("vite");
  const warn = (message) => built.warnings.push(message);
  const nothing = () => {};
  // Vite starts with a page.
  const input = entry === "app/page.js" ? "app/index.html" : entry;
  writeFileSync("app/index.html", '<script type="module" src="./page.js"></script>');
  const customLogger = { info: nothing, clearScreen: nothing, warn, warnOnce: warn, error: warn };
  await build({
    configFile: false,
    customLogger: { ...customLogger, hasErrorLogged: () => false, hasWarned: false },
    plugins: [noteModules(built)],
    ...(kind === "inside" && { ssr: { noExternal: true } }),
    build: { outDir, ...(kind === "page" ? { rolldownOptions: { input } } : { ssr: entry }) },
  });
}

async function webpack(entry, kind, path, built) {
  const { default: start } = await import("webpack");
  const asModule = {
    target: "node",
    output: { path, filename: "main.js", library: { type: "module" }, module: true },
    experiments: { outputModule: true },
    // Minifying takes long, and servers do not load it over a network.
    optimization: { minimize: false },
  };
  const settings = kind === "page" ? { target: "web", output: { path, filename: "main.js" } } : asModule;
  const stats = await new Promise((resolve, reject) => {
    start({ mode: "production", entry: `./${entry}`, ...settings }, (error, done) =>
      error ? reject(error) : resolve(done),
    );
  });
  const everything = { modulesSpace: Number.POSITIVE_INFINITY, nestedModulesSpace: Number.POSITIVE_INFINITY };
  const { warnings, errors, modules } = stats.toJson({
    ...{ all: false, warnings: true, errors: true, modules: true, nestedModules: true },
    ...everything,
  });
  const all = modules.flatMap((one) => [one, ...(one.modules ?? [])]);
  built.warnings = [...warnings, ...errors].map(({ message }) => message);
  built.modules = all.map(({ nameForCondition }) => nameForCondition).filter(Boolean);
}
