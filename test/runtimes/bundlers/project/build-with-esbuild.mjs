import { basename, dirname, extname } from "node:path";
import { build } from "esbuild";
import { pageOf, report, sizes } from "./report.mjs";

const common = { bundle: true, minify: true, metafile: true, logLevel: "silent" };

async function bundle(title, entry, options) {
  const outfile = `out/esbuild/${title}/${options.file ?? "main.js"}`;
  const { file, ...rest } = options;
  const entryPoints = [{ in: entry, out: basename(outfile, extname(outfile)) }];
  const outExtension = { ".js": extname(outfile) };
  const where = { entryPoints, outdir: dirname(outfile), outExtension };
  const { metafile, warnings } = await build({ ...common, ...where, ...rest });
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
pageOf("app", "out/esbuild/page", "main.js");
await bundle("lazy", "lazy/page.js", { format: "esm", platform: "browser", splitting: true });
pageOf("lazy", "out/esbuild/lazy", "main.js");
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
