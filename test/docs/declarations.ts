import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect } from "vitest";

/** The folder of the repository. */
export const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Reads a file of the repository. */
export const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Parses a source file. */
export const declarationsIn = (path: string) =>
  ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);

/** The properties of an interface. */
export function membersOf(source: ts.SourceFile, name: string): readonly ts.TypeElement[] {
  const found = source.statements.filter(ts.isInterfaceDeclaration).find((each) => each.name.text === name);
  return found?.members ?? expect.fail(`${source.fileName} has no interface \`${name}\`.`);
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

/** Reads a number from a private constant of a file, such as `const longestDelayMs = 60_000;`. */
export function constantOf(file: string, name: string): number {
  const [, digits] = new RegExp(`^const ${name} = ([\\d_]+);$`, "m").exec(read(file)) ?? [];
  return Number(digits?.replaceAll("_", "") ?? expect.fail(`${file} has no number \`${name}\`.`));
}
