import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Every flag that makes the compiler stricter. */
const strictest: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
  types: ["node"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, noUnusedLocals: true, noUnusedParameters: true },
  ...{ verbatimModuleSyntax: true, isolatedModules: true, allowImportingTsExtensions: true },
  ...{ skipLibCheck: true, noEmit: true },
};

const parsed = new Map<string, ts.SourceFile | undefined>();
const resolved = new Map<string, ts.ResolvedModuleWithFailedLookupLocations>();
let last: ts.Program | undefined;

/**
 * Compiles files in memory with every strict flag.
 *
 * @param files - file contents by name; in the folder `zod-3/`, "zod" is zod 3
 * @returns the messages of the compiler
 */
export function errorsIn(files: Readonly<Record<string, string>>): string[] {
  const own = new Map(Object.entries(files).map(([name, text]) => [`${root}test/written/${name}`, text]));
  const host = ts.createCompilerHost(strictest, true);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (path, options) => {
    const text = own.get(path);
    if (text !== undefined) return ts.createSourceFile(path, text, options, true);
    if (!parsed.has(path)) parsed.set(path, read(path, options));
    return parsed.get(path);
  };
  const { fileExists } = host;
  host.fileExists = (path) => own.has(path) || fileExists(path);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const name = text === "zod" && from.includes("/written/zod-3/") ? "zod-3" : text;
      const key = `${name} ${name.startsWith(".") || name.startsWith("#") ? from : from.includes("/node_modules/") ? from : ""}`;
      const known = resolved.get(key);
      if (known) return known;
      const paths = { "template-pdf": [`${root}src/index.ts`], "#platform": [`${root}src/platform/node.ts`] };
      const found = ts.resolveModuleName(name, from, { ...strictest, paths }, host);
      resolved.set(key, found);
      return found;
    });
  last = ts.createProgram([...own.keys()], strictest, host, last);
  const program = last;
  return [...own.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText, start = 0 }) => {
        const before = file?.text.slice(0, start).split("\n") ?? [];
        const line = file?.text.split("\n")[before.length - 1]?.trim();
        const message = ts.flattenDiagnosticMessageText(messageText, "\n");
        return `${path.slice(root.length)}:${before.length}: ${message} (${line})`;
      },
    );
  });
}

/** Runs the code of a module with these modules as its imports. */
export function run(text: string, modules: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
  });
  const exports = {};
  new Function("exports", "require", outputText)(exports, (name: string) => modules[name]);
  return exports;
}

/** Writes a JSON value as a TypeScript expression, in which a plain `__proto__` would set the prototype. */
export function expressionOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(expressionOf).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, entry]) => `[${JSON.stringify(name)}]: ${expressionOf(entry)}`,
  );
  return `{ ${entries.join(", ")} }`;
}
