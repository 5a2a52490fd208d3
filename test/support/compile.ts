import ts from "typescript";

/** How strict readers compile what they copy from the documentation: for Node, from installed packages. */
const strictOptions: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: ["node"],
};

/** What the compiler says of some files: each message with the file and the line. */
export function complaintsAbout(paths: readonly string[], options: ts.CompilerOptions = {}) {
  const program = ts.createProgram(paths, { ...strictOptions, ...options });
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => ({
    file: file?.fileName.split("/").at(-1) ?? "",
    line: (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1,
    text: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
}

/** TypeScript without its types. */
export function javaScriptOf(code: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}
