import ts from "typescript";
import { declarationsIn, docstringOf, membersOf } from "../declarations.ts";
import { tableOf } from "../markdown.ts";
import type { Region } from "../regenerate.ts";

/** A table of the properties of an interface, with their defaults and docstrings: `members src/options/timeouts.ts Timeouts`. */
const members: Region = (file = "", name = "") => {
  const rows = membersOf(declarationsIn(file), name)
    .filter(isPublic)
    .map((member) => {
      const text = textOf(member);
      const [, summary = text, byDefault = ""] = /^(.*?) *Default: (.*)\.$/.exec(text) ?? [];
      return { name: `\`${member.name?.getText() ?? ""}\``, byDefault, summary };
    });
  return rows.some(({ byDefault }) => byDefault !== "")
    ? tableOf(
        ["option", "default", "what it does"],
        rows.map((row) => [row.name, row.byDefault, row.summary]),
      )
    : tableOf(
        ["property", "description"],
        rows.map((row) => [row.name, row.summary]),
      );
};

export default members;

function isPublic(member: ts.TypeElement): boolean {
  return !ts.getJSDocTags(member).some(({ tagName }) => tagName.text === "internal");
}

/** The text of a docstring in one line. */
function textOf(member: ts.TypeElement): string {
  const text = docstringOf(member).join(" ");
  if (text === "") throw new Error(`\`${member.getText()}\` has no docstring.`);
  return text;
}
