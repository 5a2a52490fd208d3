// @ts-check
import { readFile } from "node:fs/promises";
import { transform } from "esbuild";
import { ownSources } from "./own-sources.mjs";

/** Such as `export function`; what follows is its name. */
const exported = /^export (?=(?:async )?(?:function\*?|class|const|let|var) (\w+))/gm;

/** Whole statements that import, or export what stands elsewhere. */
const links = /^(?:import|export) (?:[^;'"]*from )?"[^"]*";\n|^export \{[^}]*\};\n/gm;

/**
 * Gives short names to what lives within functions, and to nothing that a stack names: functions, classes and their members, private
 * ones, too. esbuild would rename all that no other file needs.
 *
 * @type {import("esbuild").Plugin}
 */
export const shortNames = {
  name: "short-names",
  setup({ initialOptions: { target = "es2022" }, onLoad }) {
    onLoad({ filter: ownSources }, async ({ path }) => {
      const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true } };
      const options = { target, tsconfigRaw };
      const { code } = await transform(await readFile(path, "utf8"), { ...options, loader: "ts" });
      const names = [...code.matchAll(exported)].map(([, name]) => name);
      // esbuild leaves alone what stands on top of a file that is no module, and members that are not private.
      const script = code
        .replaceAll(exported, "")
        .replaceAll(links, "")
        .replaceAll(/#(?=[a-z])/g, "$private$");
      const short = await transform(script, { target, minify: true });
      const inner = short.code.replaceAll("$private$", "#");
      return { contents: `${(code.match(links) ?? []).join("")}${inner}export { ${names.join(", ")} };` };
    });
  },
};
