import { readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { declarationsIn, repository } from "./declarations.ts";

/** Scripts and styles are not messages. */
const code =
  /redis\.call|=>|\bfunction\b|<\/|[{;]\n|^\s*(?:import|export|const|type|interface) |obj\n|\b(?:def|endobj)\b/;

it("docs/reports/messages.md lists every message in src (to update it, run `npm run docs -- messages`)", async () => {
  const folders = readdirSync(join(repository, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}`)
    .sort();
  const sections = folders.flatMap((folder) => {
    const lists = filesIn(folder).flatMap((file) => {
      const lines = messagesOf(declarationsIn(file)).map(
        (message) => `- ${message.replaceAll(/[\\<>*_[\]]/g, "\\$&").replaceAll("{@", "{&#64;")}`,
      );
      return lines.length === 0 ? [] : [`**${file.slice(folder.length + 1)}**`, "", ...lines, ""];
    });
    return lists.length === 0 ? [] : [`## ${folder}`, "", ...lists];
  });
  const page = `# Messages

This page lists the texts in \`src\` that users may see: errors, and the output and help of the command. \`{name}\` marks a value that is inserted.
It is generated from the code: \`npm run docs -- messages\`.

${sections.join("\n")}`;
  await expect(page).toMatchFileSnapshot(join(repository, "docs/reports/messages.md"));
});

function filesIn(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && name !== "redact.ts")
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

/** The texts that users may see: those of three words or more, in the order of the code. */
function messagesOf(source: ts.SourceFile): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text === undefined) return ts.forEachChild(node, visit);
    const message = text.replaceAll(/\s+/g, " ").trim();
    if (/[\p{L}`}]+,? \p{L}+,? [\p{L}`{]/u.test(message) && !code.test(text)) found.add(message);
    // What is inserted may contain messages, too.
    if (!ts.isStringLiteralLike(node)) ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

/** The text of a literal, or of literals that are joined, with `{name}` for what is inserted. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(
      ({ expression, literal }) => `{${nameOf(expression)}}${literal.text}`,
    );
    return node.head.text + spans.join("");
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

/** A short name for an inserted value: the last identifier of its expression. */
function nameOf(expression: ts.Expression): string {
  if (ts.isCallExpression(expression)) {
    const [argument] = expression.arguments;
    return argument && !ts.isStringLiteralLike(argument) ? nameOf(argument) : nameOf(expression.expression);
  }
  const names = expression.getText().match(/[A-Za-z]\w*/g) ?? ["…"];
  return ts.isConditionalExpression(expression) ? "…" : (names.at(-1) ?? "…");
}
