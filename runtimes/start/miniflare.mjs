// Runs the worker in workerd with miniflare: `node miniflare.mjs <its folder> <the bundle> <settings>`.
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, scriptPath, settings] = process.argv.slice(2);
const { Miniflare } = createRequire(join(folder, "package.json"))("miniflare");
const miniflare = new Miniflare({ modules: true, scriptPath, compatibilityDate: "2026-07-01" });
try {
  const response = await miniflare.dispatchFetch("http://worker.example/", {
    method: "POST",
    body: settings,
  });
  console.log(await response.text());
} finally {
  await miniflare.dispose();
}
