import { build } from "esbuild";
import { pageOf, report, sizes } from "./report.mjs";

const common = { bundle: true, minify: true, metafile: true, logLevel: "silent" };

async function bundle(title, entry, options) {
  const outfile = `out/esbuild/${title}/${options.file ?? "main.js"}`;
  const { file, ...rest } = options;
  const { metafile, warnings } = await build({ ...common, entryPoints: [entry], outfile, ...rest });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  report({
    title,
    file: outfile,
    warnings: warnings.map(({ text }) => text),
    modules: Object.keys(metafile.inputs),
    external: imports.filter(({ external }) => external).map(({ path }) => path),
  });
}

await bundle("page", "app/page.js", { format: "esm", platform: "browser" });
pageOf("out/esbuild/page", "main.js");
for (const size of Object.keys(sizes)) {
  await bundle(size, `sizes/${size}.js`, { format: "esm", platform: "browser" });
}
await bundle("server, undici inside", "app/server.js", { platform: "node", format: "cjs", file: "main.cjs" });
await bundle("server, undici outside", "app/server.js", {
  platform: "node",
  format: "esm",
  external: ["undici"],
});
await bundle("edge worker", "app/server.js", { format: "esm", conditions: ["workerd"] });
