import type ts from "typescript";
import { declarationsIn, docstringOf, membersOf } from "../declarations.ts";
import { tableOf } from "../markdown.ts";
import type { Region } from "../written.ts";

const source = declarationsIn("src/options/hooks.ts");

/** A table of the hooks: what each hears of, what its event tells, and what all events tell. */
const events: Region = () =>
  tableOf(
    ["hook", "when it is called", "properties of the event"],
    [
      ...membersOf(source, "Hooks").map((hook) => {
        const [, event = ""] = /\(event: (\w+)\)/.exec(hook.getText()) ?? [];
        return [`\`${nameOf(hook)}\``, told(hook), fieldsOf(event)];
      }),
      ["every hook", "", fieldsOf("CallEvent")],
    ],
  );

export default events;

const fieldsOf = (event: string) => membersOf(source, event).map(described).join("; ");

function described(member: ts.TypeElement): string {
  const text = told(member);
  return text === "" ? `\`${nameOf(member)}\`` : `\`${nameOf(member)}\`: ${lowerFirst(text)}`;
}

const nameOf = (member: ts.TypeElement) => member.name?.getText() ?? "";
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** What the docstring says, without the full stop at its end. */
const told = (member: ts.TypeElement) => docstringOf(member).join(" ").replace(/\.$/, "");
