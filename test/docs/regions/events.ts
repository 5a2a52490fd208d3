import type ts from "typescript";
import { declarationsIn, docstringOf, membersOf } from "../declarations.ts";
import { tableOf } from "../markdown.ts";
import type { Region } from "../regenerate.ts";

const source = declarationsIn("src/options/hooks.ts");

/** A table of the hooks: when each is called, and the properties of its event. */
const events: Region = () =>
  tableOf(
    ["hook", "when", "properties of the event"],
    [
      ...membersOf(source, "Hooks").map((hook) => {
        const [, event = ""] = /\(event: (\w+)\)/.exec(hook.getText()) ?? [];
        return [`\`${nameOf(hook)}\``, summaryOf(hook), propertiesOf(event)];
      }),
      ["all hooks", "", propertiesOf("CallEvent")],
    ],
  );

export default events;

const propertiesOf = (event: string) => membersOf(source, event).map(described).join("; ");

function described(member: ts.TypeElement): string {
  const text = summaryOf(member);
  return text === "" ? `\`${nameOf(member)}\`` : `\`${nameOf(member)}\`: ${lowerFirst(text)}`;
}

const nameOf = (member: ts.TypeElement) => member.name?.getText() ?? "";
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** The text of a docstring, without the full stop at its end. */
const summaryOf = (member: ts.TypeElement) => docstringOf(member).join(" ").replace(/\.$/, "");
