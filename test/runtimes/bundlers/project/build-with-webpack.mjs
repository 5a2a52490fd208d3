import webpack from "webpack";
import { pageOf, report, sizes } from "./report.mjs";

async function bundle(title, entry, target, options = {}) {
  const folder = `out/webpack/${title}`;
  const settings = {
    mode: "production",
    target,
    entry: `./${entry}`,
    output: { path: `${process.cwd()}/${folder}`, filename: "main.js", ...options.output },
    ...options.others,
  };
  const stats = await new Promise((resolve, reject) => {
    webpack(settings, (error, done) => (error ? reject(error) : resolve(done)));
  });
  const { warnings, errors, modules } = stats.toJson({
    all: false,
    warnings: true,
    errors: true,
    modules: true,
    nestedModules: true,
    modulesSpace: Number.POSITIVE_INFINITY,
    nestedModulesSpace: Number.POSITIVE_INFINITY,
  });
  const all = modules.flatMap((one) => [one, ...(one.modules ?? [])]);
  report({
    title,
    file: `${folder}/main.js`,
    warnings: [...warnings, ...errors].map(({ message }) => message),
    modules: all.map(({ nameForCondition }) => nameForCondition).filter(Boolean),
    external: all
      .filter(({ identifier }) => /^external /.test(identifier ?? ""))
      .map(({ identifier }) => identifier.replace(/^external (?:\S+ )*"?|"?$/g, "")),
  });
}

const asModule = {
  output: { library: { type: "module" }, module: true },
  // Minifying them takes long, and they are not loaded over a network.
  others: { experiments: { outputModule: true }, optimization: { minimize: false } },
};

await bundle("page", "app/page.js", "web");
pageOf("app", "out/webpack/page", "main.js");
await bundle("lazy", "lazy/page.js", "web");
pageOf("lazy", "out/webpack/lazy", "main.js");
for (const size of Object.keys(sizes)) await bundle(size, `sizes/${size}.js`, "web");
await bundle("server, undici inside", "app/server.js", "node", asModule);
await bundle("server, undici outside", "app/server.js", "node", {
  output: asModule.output,
  others: { ...asModule.others, externals: /^undici(\/|$)/, externalsType: "module" },
});
