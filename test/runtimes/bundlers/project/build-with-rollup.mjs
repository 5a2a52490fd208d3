import { nodeResolve } from "@rollup/plugin-node-resolve";
import terser from "@rollup/plugin-terser";
import { rollup } from "rollup";
import { noteModules, pageOf, report, sizes } from "./report.mjs";

async function bundle(title, input, plugins = []) {
  const warnings = [];
  const found = { modules: [], external: [], file: "" };
  const bundled = await rollup({
    input,
    plugins: [nodeResolve({ browser: true }), noteModules(found)],
    onwarn: ({ message }) => warnings.push(message),
  });
  await bundled.write({ dir: `out/rollup/${title}`, entryFileNames: "main.js", plugins });
  report({ title, warnings, ...found, file: `out/rollup/${title}/main.js` });
}

await bundle("page", "app/page.js");
pageOf("app", "out/rollup/page", "main.js");
await bundle("lazy", "lazy/page.js", [terser()]);
pageOf("lazy", "out/rollup/lazy", "main.js");
for (const size of Object.keys(sizes)) await bundle(size, `sizes/${size}.js`, [terser()]);
