import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export interface Import {
  /** A path below `src` for a file of this package, otherwise the specifier as written: `#platform`, `undici`, `node:fs`. */
  readonly to: string;
  /** Whether the import is removed at run time. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** A path below `src`, such as `transport/node.ts`. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/**
 * Reads the imports of every file below `src`: statements, `import()` calls, types, and built-in modules that are loaded by name.
 */
export function readSources(): SourceFile[] {
  const root = fileURLToPath(new URL("../../src", import.meta.url));
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .sort()
    .map((path) => {
      const text = readFileSync(`${root}/${path}`, "utf8");
      return { path, text, imports: importsOf(path, text) };
    });
}

/** Reads the imports of one file in order. */
export function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const ours = specifier.text.startsWith(".");
    found.push({ to: ours ? posix.join(posix.dirname(path), specifier.text) : specifier.text, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnlyImport(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, isTypeOnlyExport(node));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && isImporting(node.expression)) add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

function isTypeOnlyImport(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const { name, namedBindings } = clause;
  return !name && !!namedBindings && ts.isNamedImports(namedBindings) && areTypes(namedBindings.elements);
}

function isTypeOnlyExport({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
  if (isTypeOnly) return true;
  return !!exportClause && ts.isNamedExports(exportClause) && areTypes(exportClause.elements);
}

function areTypes(elements: readonly (ts.ImportSpecifier | ts.ExportSpecifier)[]): boolean {
  return elements.length > 0 && elements.every((element) => element.isTypeOnly);
}

/** `import(…)`, `require(…)`, and `process.getBuiltinModule(…)`. */
function isImporting(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  const name = nameOf(callee);
  return name === "require" || name === "getBuiltinModule";
}

/** The last name in `a.b.c`. */
function nameOf(expression: ts.Expression): string | undefined {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(name) ? name.text : undefined;
}
