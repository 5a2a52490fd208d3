import { build } from "vite";
import { noteModules, report, sizes } from "./report.mjs";

/** Records the messages that Vite would print. */
function logger(warnings) {
  const warn = (message) => warnings.push(message);
  return {
    info() {},
    warn,
    warnOnce: warn,
    error: warn,
    clearScreen() {},
    hasErrorLogged: () => false,
    hasWarned: false,
  };
}

async function bundle(title, options) {
  const warnings = [];
  const found = { modules: [], external: [], file: "" };
  const outDir = `${process.cwd()}/out/vite/${title}`;
  await build({
    root: "app",
    configFile: false,
    customLogger: logger(warnings),
    plugins: [noteModules(found)],
    ...options,
    build: { outDir, emptyOutDir: true, ...options.build },
  });
  report({ title, warnings, ...found, file: `out/vite/${title}/${found.file}` });
}

await bundle("page", {});
await bundle("lazy", { root: "lazy" });
for (const size of Object.keys(sizes)) {
  await bundle(size, { build: { rolldownOptions: { input: `sizes/${size}.js` } } });
}
await bundle("server, undici inside", { build: { ssr: "server.js" }, ssr: { noExternal: true } });
await bundle("server, undici outside", { build: { ssr: "server.js" } });
