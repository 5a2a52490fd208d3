import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/**
 * Parses a source file.
 *
 * @param file - its path in the repository
 */
export function declarationsIn(file: string): ts.SourceFile {
  const text = readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

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
