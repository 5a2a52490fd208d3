import { readFileSync } from "node:fs";
import ts from "typescript";

/** Reads a file of the repository. */
export const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Parses a source file. */
export const declarationsIn = (path: string) =>
  ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);

/** The properties of an interface. */
export function membersOf(source: ts.SourceFile, name: string): readonly ts.TypeElement[] {
  const found = source.statements.filter(ts.isInterfaceDeclaration).find((each) => each.name.text === name);
  if (found === undefined) throw new Error(`${source.fileName} has no interface \`${name}\`.`);
  return found.members;
}

/** The paragraphs of a docstring without its tags, each in one line. Links become inline code. */
export function docstringOf(node: ts.Node): string[] {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(comment?.comment) ?? "")
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\{@link (?:\S+ \| )?(.+?)\}/g, "`$1`"))
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim())
    .filter((paragraph) => paragraph !== "");
}

/** Reads a private constant of a file, such as `const maxHeldBytes = 64 * 1024;`: a number or a product of numbers. */
export function constantOf(file: string, name: string): number {
  const [, product] = new RegExp(`^const ${name} = ([\\d_* ]+);$`, "m").exec(read(file)) ?? [];
  if (product === undefined) throw new Error(`${file} has no constant \`${name}\` that is a number.`);
  return product
    .replaceAll("_", "")
    .split("*")
    .reduce((value, factor) => value * Number(factor), 1);
}
