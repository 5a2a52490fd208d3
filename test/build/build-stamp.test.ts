import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fingerprintOf, isBuilt, stampBuild } from "../../scripts/build-stamp.mjs";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

/** Creates a repository with a `dist` that was just built. */
function builtRepository(parts = "code and types") {
  const { path: root, remove } = makeTemporaryFolder("build-stamp");
  onTestFinished(remove);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const settings = ["tsup.config.ts", "vite.config.ts", "tsconfig.json", "package.json", "package-lock.json"];
  for (const path of [...settings, "scripts/build.mjs", "src/index.ts", "src/cli/main.ts", "dist/index.js"])
    write(path, path);
  stampBuild(join(root, "dist"), parts, fingerprintOf(root));
  return { root, write };
}

describe("isBuilt()", () => {
  it("is true after a build, also if a file was written again without a change", () => {
    const { root, write } = builtRepository();
    expect(isBuilt("code and types", root)).toBe(true);
    write("src/index.ts", "src/index.ts");
    expect(isBuilt("code and types", root)).toBe(true);
  });

  it.each(["src/index.ts", "src/cli/main.ts", "scripts/build.mjs", "tsup.config.ts", "package-lock.json"])(
    "is false after a change of %s, and true again when the change is undone",
    (path) => {
      const { root, write } = builtRepository();
      write(path, "changed");
      expect(isBuilt("code", root)).toBe(false);
      write(path, path);
      expect(isBuilt("code", root)).toBe(true);
    },
  );

  it.each<[change: string, change: (root: string) => void]>([
    ["added", (root) => writeFileSync(join(root, "src/new.ts"), "")],
    ["removed", (root) => rmSync(join(root, "src/cli/main.ts"))],
    ["renamed", (root) => renameSync(join(root, "src/cli/main.ts"), join(root, "src/cli/run.ts"))],
  ])("is false after a source was %s", (_, change) => {
    const { root } = builtRepository();
    change(root);
    expect(isBuilt("code", root)).toBe(false);
  });

  it("is false without `dist`", () => {
    const { root } = builtRepository();
    rmSync(join(root, "dist"), { recursive: true });
    expect(isBuilt("code", root)).toBe(false);
  });

  it("distinguishes a build of the code from a build of code and types", () => {
    const { root } = builtRepository("code");
    expect(isBuilt("code", root)).toBe(true);
    expect(isBuilt("code and types", root)).toBe(false);
    expect(isBuilt("code", builtRepository("code and types").root)).toBe(true);
  });

  it("is false if a source changed while the build ran", () => {
    const { root, write } = builtRepository();
    const fingerprint = fingerprintOf(root);
    write("src/index.ts", "changed");
    stampBuild(join(root, "dist"), "code", fingerprint);
    expect(isBuilt("code", root)).toBe(false);
  });
});
