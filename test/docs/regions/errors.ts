import ts from "typescript";
import { declarationsIn, docstringOf } from "../declarations.ts";
import { tableOf } from "../markdown.ts";

/** A table of the error classes, with the properties that each adds to its base class. */
export default function errors(): string {
  const rows = declarationsIn("src/errors/errors.ts")
    .statements.filter(ts.isClassDeclaration)
    .map((each) => {
      const [parent = ""] = each.heritageClauses?.[0]?.types.map((type) => type.expression.getText()) ?? [];
      return {
        name: `${parent === "ApiError" ? "– " : ""}\`${each.name?.text}\``,
        code: each.members.flatMap(codeOf).join(""),
        when: docstringOf(each)[0] ?? "",
        properties: each.members.flatMap((member) => propertyOf(member, parent)).join(" "),
      };
    });
  return tableOf(
    ["error", "`code`", "when", "properties"],
    rows.map(({ name, code, when, properties }) => [name, code, when, properties]),
  );
}

/** The literal of the `code` of a class. The base class has none. */
function codeOf(member: ts.ClassElement): string[] {
  const isCode = ts.isPropertyDeclaration(member) && member.name.getText() === "code";
  const isOwn = ts.canHaveModifiers(member) && hasModifier(member, ts.SyntaxKind.OverrideKeyword);
  if (!isCode || !isOwn || !member.initializer || !ts.isStringLiteral(member.initializer)) return [];
  return [`\`${member.initializer.text}\``];
}

/** The name of a public property: a declared one, or a getter. */
function propertyOf(member: ts.ClassElement, parent: string): string[] {
  if (!member.name || !ts.isIdentifier(member.name)) return [];
  if (hasModifier(member as ts.PropertyDeclaration, ts.SyntaxKind.StaticKeyword)) return [];
  const isProperty =
    ts.isGetAccessor(member) ||
    (ts.isPropertyDeclaration(member) &&
      (hasModifier(member, ts.SyntaxKind.DeclareKeyword) || member.name.getText() === "code"));
  // The table lists `name`, which `Error` has, for the base class.
  const isInherited = hasModifier(member as ts.GetAccessorDeclaration, ts.SyntaxKind.OverrideKeyword);
  return isProperty && !(isInherited && parent !== "Error") ? [`\`${member.name.getText()}\``] : [];
}

function hasModifier(node: ts.HasModifiers, kind: ts.SyntaxKind): boolean {
  return ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false;
}
