import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { docstringOf } from "../docstring-of.ts";
import { tableOf } from "../table-of.ts";
import type { Region } from "../written.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** A table of the members of an interface, as `members src/waits.ts Timeouts`: their defaults, and what their docstrings say. */
const members: Region = (file = "", name = "") => {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(repository, file), "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = source.statements.filter(ts.isInterfaceDeclaration).find((each) => each.name.text === name);
  if (found === undefined) throw new Error(`${file} has no interface \`${name}\`.`);
  const rows = found.members.filter(isPublic).map((member) => {
    const text = textOf(member);
    const [, said = text, byDefault = ""] = /^(.*?) *Default: (.*)\.$/.exec(text) ?? [];
    return { name: `\`${member.name?.getText() ?? ""}\``, byDefault, said };
  });
  return rows.some(({ byDefault }) => byDefault !== "")
    ? tableOf(
        ["option", "default", "what it does"],
        rows.map((row) => [row.name, row.byDefault, row.said]),
      )
    : tableOf(
        ["member", "what it is"],
        rows.map((row) => [row.name, row.said]),
      );
};

export default members;

function isPublic(member: ts.TypeElement): boolean {
  return !ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal");
}

/** What a docstring says, in one line. */
function textOf(member: ts.TypeElement): string {
  const text = docstringOf(member).join(" ");
  if (text === "") throw new Error(`\`${member.getText()}\` has no docstring.`);
  return text;
}
