import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { filesBelow, installed, makeProject, runNode } from "./consumer.ts";
import { stackProject } from "./stack-project.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const files = filesBelow(installed).map(({ path }) => path);
const read = (path: string) => readFileSync(join(installed, path), "utf8");
const source = (path: string) => readFileSync(join(repository, path), "utf8");

interface NamedFunction {
  /** The name and the parameters, as `resolveCall(client, options)`. */
  readonly signature: string;
  readonly line: number;
}

describe("the code of the published package", () => {
  const modules = files
    .filter((path) => path.endsWith(".js"))
    .map((path) => ({ path, sections: sectionsOf(read(path)) }));

  it("keeps the names of functions and parameters, in src and in bundled packages", () => {
    const sections = modules.flatMap((module) => module.sections);
    const renamed = sections.flatMap(({ origin, functions }) => {
      const known = new Set(functionsIn(source(origin)).map(({ signature }) => signature));
      return functions
        .filter(({ signature }) => !known.has(signature))
        .map(({ signature }) => `${origin}: ${signature}`);
    });
    expect(sections.flatMap(({ functions }) => functions).length).toBeGreaterThan(1_000);
    expect(renamed).toEqual([]);
  });

  it("has the same names in CommonJS", () => {
    const known = new Set(
      modules
        .flatMap(({ sections }) => sections.flatMap(({ functions }) => functions))
        .map(({ signature }) => signature),
    );
    const inCommonJs = files
      .filter((path) => path.endsWith(".cjs"))
      .flatMap((path) => functionsIn(read(path)));
    expect(inCommonJs.length).toBeGreaterThan(500);
    // A name that a computed key imports is a property of the module there.
    const signatures = inCommonJs.map(({ signature }) => signature.replace(/^\[import_\w+\./, "["));
    expect(signatures.filter((signature) => !known.has(signature))).toEqual([]);
  });

  it("begins every function on a line of its own", () => {
    const shared = files
      .filter((path) => /\.c?js$/.test(path))
      .flatMap((path) => {
        const lines = functionsIn(read(path)).map(({ line }) => line);
        return lines.filter((line, at) => lines.indexOf(line) !== at).map((line) => `${path}:${line}`);
      });
    expect(shared).toEqual([]);
  });

  it.each([
    ["import", ["stack.mjs"]],
    ["require", ["--no-experimental-require-module", "stack.cjs"]],
  ])("names the functions of src in a stack after %s", async (_, args) => {
    const stack = await runNode(stackProject, ...args);
    const names = [...stack.matchAll(/^ +at (?:new )?(\S+) \(.*\/template-pdf\/dist\/\S+\)$/gm)].map(
      ([, name = ""]) => name,
    );
    const known = new Set(
      filesBelow(join(repository, "src")).flatMap(({ path }) =>
        [...source(`src/${path}`).matchAll(/\b[A-Za-z]\w+/g)].map(([word]) => word),
      ),
    );
    expect(names.at(-1)).toBe("TemplatePdf.generate");
    expect(names.length).toBeGreaterThan(3);
    expect(
      names.flatMap((name) => name.split(".")).filter((name) => !known.has(name.replace("#", ""))),
    ).toEqual([]);
  });
});

describe("the declarations of the published package", () => {
  const folder = makeProject("docstrings", {
    "import.mts": 'export { TemplatePdf } from "template-pdf";\n',
    "require.cts": 'export { TemplatePdf } from "template-pdf";\n',
  });
  const inSource = docstringOf(join(repository, "src/client.ts"));

  it.each(["import.mts", "require.cts"])("show an editor the docstring of `generate`: %s", (name) => {
    expect(docstringOf(join(folder, name))).toEqual(inSource);
  });
});

/** What an editor shows of `TemplatePdf.generate`, as a file exports it. */
function docstringOf(path: string) {
  const program = ts.createProgram([path], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
    allowImportingTsExtensions: true,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  const exported = module && checker.getExportsOfModule(module).find(({ name }) => name === "TemplatePdf");
  const client =
    exported && (exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported);
  const generate = client?.members?.get(ts.escapeLeadingUnderscores("generate"));
  if (!generate) throw new Error(`${path} exports no TemplatePdf with generate()`);
  return {
    text: ts.displayPartsToString(generate.getDocumentationComment(checker)),
    tags: generate.getJsDocTags(checker).map(({ name, text }) => `${name} ${ts.displayPartsToString(text)}`),
  };
}

/** The functions of a module of `dist`, by the file that the bundler names above them. */
function sectionsOf(code: string) {
  const starts = [...code.matchAll(/^ *\/\/ ((?:src|node_modules|imported-builtins)\S+)$/gm)];
  const origins = starts.map(([, origin = ""], at) => ({
    origin,
    line: code.slice(0, starts[at]?.index).split("\n").length,
  }));
  const functions = functionsIn(code);
  return origins
    .map(({ origin, line }, at) => {
      const end = origins[at + 1]?.line ?? Number.POSITIVE_INFINITY;
      return { origin, functions: functions.filter((found) => found.line > line && found.line < end) };
    })
    .filter(({ origin }) => !origin.startsWith("imported-builtins"));
}

/** The named functions, methods and accessors of a module, in TypeScript or JavaScript. */
function functionsIn(code: string): NamedFunction[] {
  const file = ts.createSourceFile("module.ts", code, ts.ScriptTarget.Latest);
  const found: NamedFunction[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node) && "body" in node && node.body && node.name) {
      const name = withoutNumber(node.name.getText(file));
      // What esbuild adds begins with two underscores, or has the path of a CommonJS module for its name.
      if (!/^(?:__|"node_modules)/.test(name)) {
        const parameters = node.parameters
          .flatMap(({ name }) => namesOf(name, file))
          .filter((name) => name !== "this");
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
        found.push({ signature: `${name}(${parameters.join(", ")})`, line: line + 1 });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function namesOf(name: ts.BindingName, file: ts.SourceFile): string[] {
  if (ts.isIdentifier(name)) return [withoutNumber(name.text)];
  return name.elements.flatMap((element) => {
    if (ts.isOmittedExpression(element)) return [];
    if (element.propertyName) return [element.propertyName.getText(file)];
    return namesOf(element.name, file);
  });
}

/** esbuild appends a number where two files have the same name. */
function withoutNumber(name: string): string {
  return name.replace(/\d+$/, "");
}
