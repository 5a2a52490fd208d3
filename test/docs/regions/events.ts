import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { docstringOf } from "../docstring-of.ts";
import { tableOf } from "../table-of.ts";
import type { Region } from "../written.ts";

const path = fileURLToPath(new URL("../../../src/hooks.ts", import.meta.url));
const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);

/** A table of the hooks: what each hears of, what its event tells, and what all events tell. */
const events: Region = () =>
  tableOf(
    ["hook", "hears of", "and is told"],
    [
      ...membersOf("Hooks").map((hook) => {
        const [, event = ""] = /\(event: (\w+)\)/.exec(hook.getText()) ?? [];
        return [`\`${nameOf(hook)}\``, told(hook), fieldsOf(event)];
      }),
      ["each of them", "", fieldsOf("CallEvent")],
    ],
  );

export default events;

function membersOf(name: string): readonly ts.TypeElement[] {
  const found = source.statements.filter(ts.isInterfaceDeclaration).find((each) => each.name.text === name);
  if (found === undefined) throw new Error(`src/hooks.ts has no interface \`${name}\`.`);
  return found.members;
}

const fieldsOf = (event: string) => membersOf(event).map(described).join("; ");

function described(member: ts.TypeElement): string {
  const text = told(member);
  return text === "" ? `\`${nameOf(member)}\`` : `\`${nameOf(member)}\`: ${lowerFirst(text)}`;
}

const nameOf = (member: ts.TypeElement) => member.name?.getText() ?? "";
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** What the docstring says, without the full stop at its end. */
const told = (member: ts.TypeElement) => docstringOf(member).join(" ").replace(/\.$/, "");
