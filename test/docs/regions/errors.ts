import ts from "typescript";
import { declarationsIn, docstringOf } from "../declarations.ts";
import { tableOf } from "../markdown.ts";

/** A table of the family of errors: what each is called, when it comes, and what it has that its parent has not. */
export default function errors(): string {
  const rows = declarationsIn("src/errors/errors.ts")
    .statements.filter(ts.isClassDeclaration)
    .map((each) => {
      const [parent = ""] = each.heritageClauses?.[0]?.types.map((type) => type.expression.getText()) ?? [];
      return {
        name: `${parent === "ApiError" ? "– " : ""}\`${each.name?.text}\``,
        code: each.members.flatMap(codeOf).join(""),
        when: docstringOf(each)[0] ?? "",
        has: each.members.flatMap((member) => factOf(member, parent)).join(" "),
      };
    });
  return tableOf(
    ["error", "`code`", "when", "has"],
    rows.map(({ name, code, when, has }) => [name, code, when, has]),
  );
}

/** The literal that a class gives its `code`. The base has a code for those that have none of their own. */
function codeOf(member: ts.ClassElement): string[] {
  const isCode = ts.isPropertyDeclaration(member) && member.name.getText() === "code";
  const isOwn = ts.canHaveModifiers(member) && hasModifier(member, ts.SyntaxKind.OverrideKeyword);
  if (!isCode || !isOwn || !member.initializer || !ts.isStringLiteral(member.initializer)) return [];
  return [`\`${member.initializer.text}\``];
}

/** A member that is a fact of the error: declared, or behind a getter. */
function factOf(member: ts.ClassElement, parent: string): string[] {
  if (!member.name || !ts.isIdentifier(member.name)) return [];
  if (hasModifier(member as ts.PropertyDeclaration, ts.SyntaxKind.StaticKeyword)) return [];
  const isFact =
    ts.isGetAccessor(member) ||
    (ts.isPropertyDeclaration(member) &&
      (hasModifier(member, ts.SyntaxKind.DeclareKeyword) || member.name.getText() === "code"));
  // The `name` of `Error` itself is listed with the base.
  const isInherited = hasModifier(member as ts.GetAccessorDeclaration, ts.SyntaxKind.OverrideKeyword);
  return isFact && !(isInherited && parent !== "Error") ? [`\`${member.name.getText()}\``] : [];
}

function hasModifier(node: ts.HasModifiers, kind: ts.SyntaxKind): boolean {
  return ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false;
}
