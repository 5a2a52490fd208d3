import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(folder).filter((file) => file.endsWith(".test-d.ts"));

/** What the compiler says of these files, under the settings of this repository and those given. */
function complaints(paths: readonly string[], settings: ts.CompilerOptions = {}): string[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root);
  const program = ts.createProgram(paths, { ...options, ...settings });
  return paths
    .map((path) => program.getSourceFile(path))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
    .map(({ file, start = 0, messageText }) => {
      const line = (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${file?.fileName.slice(root.length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
}

describe("the public types", () => {
  it("say what they should, and refuse what they should", { timeout: 60_000 }, () => {
    expect(files.length).toBeGreaterThan(0);
    expect(complaints(files.map((file) => folder + file))).toEqual([]);
  });
});
