import ts from "typescript";
import { declarationsIn, docstringOf, membersOf } from "../declarations.ts";
import { tableOf } from "../markdown.ts";
import type { Region } from "../written.ts";

/** A table of the members of an interface, as `members src/options/timeouts.ts Timeouts`: their defaults, and what their docstrings say. */
const members: Region = (file = "", name = "") => {
  const rows = membersOf(declarationsIn(file), name)
    .filter(isPublic)
    .map((member) => {
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
