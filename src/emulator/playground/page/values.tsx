import { useMemo, useState } from "preact/hooks";
import {
  canRedo,
  canUndo,
  type Draft,
  filledIn,
  objectionTo,
  parseValues,
  redone,
  replaced,
  textOf,
  undone,
  unfinishedAt,
} from "./draft.ts";
import { FormField } from "./form-field.tsx";
import { JsonEditor } from "./json-editor.tsx";
import type { Refusal } from "./server.ts";
import type { Workbench } from "./workbench.ts";

interface ValuesProps {
  readonly workbench: Workbench;
  readonly uid: string;
  readonly schema: object | undefined;
  readonly draft: Draft;
  readonly errors: Refusal["errors"] | undefined;
}

const anything = {};
const none: Refusal["errors"] = [];

/** The default size limit of the emulator. */
const maxFileBytes = 1_048_576;

/** Edits the values of a template as a form or as JSON. */
export function Values({ workbench, uid, schema = anything, draft, errors = none }: ValuesProps) {
  const [isOver, setOver] = useState(false);
  const [fileFault, setFileFault] = useState<string>();
  const edit = (change: (last: Draft) => Draft) => {
    setFileFault(undefined);
    workbench.edit(uid, change);
  };
  const open = async (file: File | undefined) => {
    if (!file) return;
    const read = await readValues(file);
    if ("text" in read) edit((last) => replaced(last, read.text));
    else setFileFault(`${file.name} ${read.fault} The values are unchanged.`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event);
    // The editor handles its own keys.
    if (step === undefined || (event.target as Element).closest(".cm-editor")) return;
    event.preventDefault();
    edit(step);
  };
  const { parsed, unfinished, lastValues } = draft;
  // Cursor movements in the editor change the draft, but not the form.
  const fields = useMemo(() => {
    const onUnfinished = (path: string, text: string) => edit((last) => unfinishedAt(last, path, text));
    return (
      <fieldset disabled={parsed.kind === "invalid"}>
        <FormField
          form={{ root: schema, errors, unfinished, onUnfinished }}
          schema={schema}
          label=""
          path={[]}
          value={lastValues}
          isRequired
          onChange={(next, path) => edit((last) => filledIn(last, next as object, path))}
        />
      </fieldset>
    );
  }, [schema, errors, unfinished, lastValues, parsed.kind]);
  return (
    <section
      class={isOver ? "values over" : "values"}
      aria-label="Values"
      onKeyDown={onKeyDown}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void open(event.dataTransfer?.files[0]);
      }}
    >
      <div class="bar">
        <h2>Values</h2>
        <button type="button" disabled={!canUndo(draft)} onClick={() => edit(undone)}>
          Undo
        </button>
        <button type="button" disabled={!canRedo(draft)} onClick={() => edit(redone)}>
          Redo
        </button>
        <button type="button" onClick={() => edit((last) => replaced(last, textOf(last.sample)))}>
          Sample
        </button>
        <label class="button">
          Open a file…
          <input
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget }) => {
              void open(currentTarget.files?.[0]);
              currentTarget.value = "";
            }}
          />
        </label>
      </div>
      <p class="fault objection" role="status">
        {fileFault ?? objectionTo(draft)}
      </p>
      <div class="form-and-json">
        <form aria-label="Form" onSubmit={(event) => event.preventDefault()}>
          {fields}
        </form>
        <div class="json">
          <JsonEditor {...draft} onChanges={(changes) => workbench.editText(uid, changes)} />
        </div>
      </div>
    </section>
  );
}

/** Reads values from a file, but not from a picture, a table or another JSON value. */
async function readValues(file: File): Promise<{ readonly text: string } | { readonly fault: string }> {
  if (file.size > maxFileBytes) return { fault: "is larger than 1 MiB, the limit for a call." };
  let text: string;
  try {
    // The decoder also removes a byte order mark.
    text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return { fault: "is not a text in UTF-8." };
  }
  const parsed = parseValues(text);
  return parsed.kind === "valid" ? { text } : { fault: `does not contain values. ${parsed.reason}` };
}

/** Returns the change for a key: undo or redo. */
function stepOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent) {
  if (!(ctrlKey || metaKey) || altKey) return undefined;
  if (key.toLowerCase() === "z") return shiftKey ? redone : undone;
  return key.toLowerCase() === "y" && !shiftKey ? redone : undefined;
}
