import { useRef, useState } from "preact/hooks";
import { FormField } from "./form-field.tsx";
import { JsonEditor } from "./json-editor.tsx";
import type { Refusal } from "./server.ts";

interface ValuesProps {
  readonly schema: object | undefined;
  readonly text: string;
  /** `undefined` while the text is not a JSON object. */
  readonly values: Record<string, unknown> | undefined;
  readonly parseError: string | undefined;
  readonly errors: Refusal["errors"];
  readonly onText: (text: string) => void;
  readonly onSample: () => void;
}

/** The default size limit of the emulator. */
const maxFileBytes = 1_048_576;

/** Edits the values of a template as a form or as JSON. */
export function Values({ schema = {}, text, values, parseError, errors, onText, onSample }: ValuesProps) {
  const [isOver, setOver] = useState(false);
  const lastGood = useRef<Record<string, unknown>>({});
  if (values) lastGood.current = values;
  const [fileFault, setFileFault] = useState<string>();
  const open = async (file: File | undefined) => {
    if (!file) return;
    const isTooLarge = file.size > maxFileBytes;
    setFileFault(isTooLarge ? `${file.name} is larger than 1 MiB, the limit for a call.` : undefined);
    if (!isTooLarge) onText(await file.text());
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void open(event.dataTransfer?.files[0]);
  };
  return (
    <section
      class={isOver ? "values over" : "values"}
      aria-label="Values"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <div class="bar">
        <h2>Values</h2>
        <button type="button" onClick={onSample}>
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
      <div class="form-and-json">
        <form aria-label="Form" onSubmit={(event) => event.preventDefault()}>
          <fieldset disabled={parseError !== undefined}>
            <FormField
              {...{ schema, errors }}
              root={schema}
              label=""
              path={[]}
              value={lastGood.current}
              isRequired
              onChange={(next) => onText(JSON.stringify(next, null, 2))}
            />
          </fieldset>
        </form>
        <div class="json">
          <JsonEditor text={text} onText={onText} />
          <p class="fault" role="status">
            {fileFault ?? parseError}
          </p>
        </div>
      </div>
    </section>
  );
}
