import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { declarationsIn } from "./declarations.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Scripts and styles are not messages. */
const code =
  /redis\.call|=>|\bfunction\b|<\/|[{;]\n|^\s*(?:import|export|const|type|interface) |obj\n|\b(?:def|endobj)\b/;

/** Reads the texts of a folder of `src` that users may see: those of three words or more, in the order of the code. */
export function messagesIn(folder: string): { file: string; messages: string[] }[] {
  const names = readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith("ordinary-words.ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort()
    .map((file) => ({ file, messages: messagesOf(declarationsIn(file)) }))
    .filter(({ messages }) => messages.length > 0);
}

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
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isJsxText(node)) return node.text;
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
