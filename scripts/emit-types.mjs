// @ts-check
// Writes the types of every entry point: a `.d.cts` for each source file, and a `.d.ts` for those that differ in ES modules.
// ES modules may import CommonJS types, but not the other way round; see docs/decisions/0024.
// TypeScript emits them file by file. Bundlers of types drop `/// <reference lib>` and `@ts-ignore`
// and hoist `import("node:stream")`, so the types would not compile without @types/node.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { entryPoints } from "./entries.mjs";
import { outputFolder } from "./output-folder.mjs";
import { compiler, outputOf } from "./run-command.mjs";

// The compiler uses `/` on every system.
const { dirname, join, relative } = posix;
const root = fileURLToPath(new URL("..", import.meta.url)).replaceAll("\\", "/");
const source = join(root, "src");

const declarations = reachable(emitDeclarations());
const entryPointFiles = Object.values(entryPoints).map((path) => join(root, path));
for (const [file, text] of declarations) {
  write(
    file,
    ".d.cts",
    withPaths(file, text, () => ".cjs"),
  );
  // The file extension tells the compiler the module format.
  if (entryPointFiles.includes(file) || differs(file)) {
    write(
      file,
      ".d.ts",
      withPaths(file, text, (imported) => (differs(imported) ? ".js" : ".cjs")),
    );
  }
}

/**
 * Whether a file imports from another package, whose classes may differ between formats.
 *
 * @param {string} file
 * @param {Set<string>} [seen]
 * @returns {boolean}
 */
function differs(file, seen = new Set()) {
  if (seen.has(file)) return false;
  seen.add(file);
  return specifiers(file, declarations.get(file) ?? "").some(({ text }) =>
    text.startsWith(".") ? differs(join(dirname(file), text), seen) : !isBuiltin(text),
  );
}

/** @returns {Map<string, string>} the text of the declarations of each source file */
function emitDeclarations() {
  const folder = join(root, "node_modules/.cache/types");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true };
  const compilerOptions = { ...emit, rootDir: source, outDir: folder };
  const config = { extends: join(root, "tsconfig.json"), compilerOptions, include: [source] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { succeeded, stdout } = outputOf("node", [compiler, "-p", folder]);
  if (!succeeded) fail(stdout);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) =>
    file.replaceAll("\\", "/"),
  );
  return new Map(
    files
      .filter((file) => file.endsWith(".d.ts"))
      .map((file) => [
        join(source, file.replace(/\.d\.ts$/, ".ts")),
        readFileSync(join(folder, file), "utf8"),
      ]),
  );
}

/**
 * Returns the files that the entry points import.
 * @param {Map<string, string>} texts
 */
function reachable(texts) {
  /** @type {Map<string, string>} */
  const found = new Map();
  /** @param {string} file */
  const visit = (file) => {
    const text = texts.get(file);
    if (text === undefined) fail(`No declarations for ${file}`);
    if (found.has(file)) return;
    found.set(file, text);
    for (const { text: specifier } of specifiers(file, text)) {
      if (specifier.startsWith("#")) fail(`The public types of ${relative(root, file)} mention ${specifier}`);
      if (specifier.startsWith(".")) visit(join(dirname(file), specifier));
    }
  };
  for (const path of Object.values(entryPoints)) visit(join(root, path));
  return found;
}

/**
 * Returns every module specifier in a declaration file, including `import("…")` types.
 * @param {string} file
 * @param {string} text
 */
function specifiers(file, text) {
  /** @type {ts.StringLiteral[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : undefined;
    if (specifier && ts.isStringLiteral(specifier)) found.push(specifier);
    ts.forEachChild(node, visit);
  };
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  visit(parsed);
  return found;
}

/**
 * @param {string} file
 * @param {string} text
 * @param {(imported: string) => string} extensionOf
 */
function withPaths(file, text, extensionOf) {
  return specifiers(file, text)
    .filter((specifier) => specifier.text.startsWith("."))
    .reverse()
    .reduce((result, { text: old, end }) => {
      const start = end - 1 - old.length;
      const path = old.replace(/\.ts$/, extensionOf(join(dirname(file), old)));
      return result.slice(0, start) + path + result.slice(end - 1);
    }, text);
}

/**
 * @param {string} file
 * @param {".d.ts" | ".d.cts"} extension
 * @param {string} text
 */
function write(file, extension, text) {
  const target = join(outputFolder, relative(source, file).replace(/\.ts$/, extension));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
