import ts from "typescript";

/** The strict compiler options of readers who copy from the documentation: for Node, with installed packages. */
const strictOptions: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: ["node"],
};

/** Compiles files and returns each message of the compiler with its file and line. */
export function complaintsAbout(paths: readonly string[], options: ts.CompilerOptions = {}) {
  const program = ts.createProgram(paths, { ...strictOptions, ...options });
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => ({
    file: file?.fileName.split("/").at(-1) ?? "",
    line: (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1,
    text: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
}

/** Removes the types from TypeScript. */
export function javaScriptOf(code: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
