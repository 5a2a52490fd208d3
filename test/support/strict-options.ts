import ts from "typescript";

/** How strict readers compile what they copy from the papers: for Node, from installed packages. */
export const strictOptions: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: ["node"],
};
