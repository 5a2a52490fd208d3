import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { consumer } from "../../package/consumer.ts";

const sources = fileURLToPath(new URL("../../../runtimes/", import.meta.url));

/** The package as installed from its tarball, not as it lies in this repository. */
const installedPackage: Plugin = {
  name: "the installed package",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^template-pdf(\/|$)/ }, ({ path, kind, resolveDir }) =>
      resolveDir === consumer ? undefined : resolve(path, { kind, resolveDir: consumer }),
    );
  },
};

async function bundle(entry: string, options: BuildOptions): Promise<string> {
  const { outputFiles, warnings } = await build({
    entryPoints: [join(sources, entry)],
    bundle: true,
    write: false,
    target: "esnext",
    logLevel: "silent",
    ...options,
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join("\n"));
  return outputFiles?.[0]?.text ?? "";
}

/** For a process, which finds the package by itself. */
export function bundleForProcess(format: "esm" | "cjs", target: string): Promise<string> {
  return bundle("start/process.mjs", { format, target, platform: "node", external: ["template-pdf"] });
}

/** For workerd, with the package in it as its own tools would put it there. */
export function bundleForEdge(): Promise<string> {
  const conditions = ["workerd", "worker", "browser"];
  return bundle("start/edge-worker.mjs", {
    format: "esm",
    platform: "neutral",
    conditions,
    plugins: [installedPackage],
  });
}

/** For a page, or for a web worker of it, with the package in it. */
export function bundleForPage(entry: "page" | "web-worker"): Promise<string> {
  return bundle(`start/${entry}.mjs`, { format: "iife", platform: "browser", plugins: [installedPackage] });
}

/** What every check says. By way of a bundle, because the checks are written in a language newer than Node 20's. */
export async function namesOfChecks(): Promise<string[]> {
  const options: BuildOptions = {
    format: "esm",
    platform: "browser",
    target: "es2022",
    plugins: [installedPackage],
  };
  const code = await bundle("smoke/checks.mjs", options);
  const { checks } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return Object.keys(checks);
}
