import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { outputFolder } from "./scripts/output-folder.mjs";

/** Says which packages the page is made of: in a comment, as esbuild does, and in a list for scripts/write-licenses.mjs. */
const namesPackages: Plugin = {
  name: "names-packages",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
    const folders = chunks
      .flatMap(({ moduleIds }) => moduleIds)
      .map((id) => /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
      .filter((folder) => folder !== undefined);
    const inputs = Object.fromEntries([...new Set(folders)].sort().map((folder) => [folder, {}]));
    writeFileSync(join(outputFolder, "metafile-playground.json"), JSON.stringify({ inputs }));
    const comment = Object.keys(inputs).map((folder) => `// ${folder}\n`);
    for (const chunk of chunks) chunk.code = `${comment.join("")}${chunk.code}`;
  },
};

/** Builds the page of the emulator's playground. */
export default defineConfig({
  root: fileURLToPath(new URL("src/emulator/playground/page", import.meta.url)),
  plugins: [namesPackages],
  build: {
    outDir: join(outputFolder, "emulator/playground"),
    emptyOutDir: true,
    assetsDir: "_playground/assets",
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2023",
    reportCompressedSize: false,
  },
});
