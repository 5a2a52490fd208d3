import ts from "typescript";

/** The paragraphs of a docstring, without its tags: each in one line, with its links as code. None where there is no docstring. */
export function docstringOf(node: ts.Node): string[] {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(comment?.comment) ?? "")
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph
        .replaceAll(/\{@link (?:\S+ \| )?(.+?)\}/g, "`$1`")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((paragraph) => paragraph !== "");
}
