import { useState } from "preact/hooks";
import { formatJsonPath } from "../../../request/serialize-values.ts";
import { describeNumber } from "./draft.ts";
import { columnsOf, emptyValue, kindOf, memberOf, resolveSchema, type Schema } from "./form-kinds.ts";
import { FormTable } from "./form-table.tsx";
import { RemoveButton } from "./remove-button.tsx";
import type { Refusal } from "./server.ts";

/** What all fields of a form share. */
interface Form {
  /** The whole schema, for references. */
  readonly root: Schema;
  readonly errors: Refusal["errors"];
  /** Texts in fields for numbers that are not numbers, by path. */
  readonly unfinished: Readonly<Record<string, string>>;
  readonly onUnfinished: (path: string, text: string) => void;
}

interface FormFieldProps {
  readonly form: Form;
  readonly schema: Schema;
  readonly label: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly isRequired: boolean;
  /** Whether a table shows the name of the field. */
  readonly isCell?: boolean;
  /** @param path - the path of the field that was filled in; `undefined` if fields were added or removed */
  readonly onChange: (value: unknown, path?: string) => void;
}

/** Edits one value of the form, including nested values. */
export function FormField(props: FormFieldProps) {
  const { form, label, path, value, isRequired, isCell, onChange } = props;
  const { root, errors } = form;
  const schema = resolveSchema(props.schema, root, value);
  const kind = kindOf(schema, value);
  const id = `field ${JSON.stringify(path)}`;
  const ownPath = formatJsonPath(path);
  const unfinished = form.unfinished[ownPath];
  const problems = errors.filter((error) => error.path === ownPath).map(({ detail }) => detail);
  if (unfinished !== undefined) problems.unshift(`${unfinished} ${describeNumber(unfinished)}`);
  const name = schema.title ?? label;
  const remove = value !== undefined && !isRequired && (
    <RemoveButton label={label} onClick={() => onChange(undefined)} />
  );
  const notes = (
    <>
      {schema.description !== undefined && !isCell && <small id={`${id} note`}>{schema.description}</small>}
      {problems.length > 0 && (
        <small class="fault" id={`${id} fault`} role="alert">
          {problems.join("; ")}
        </small>
      )}
    </>
  );
  const attributes = {
    id,
    "aria-invalid": problems.length > 0,
    "aria-describedby": [problems.length > 0 && `${id} fault`, schema.description && !isCell && `${id} note`]
      .filter(Boolean)
      .join(" "),
  };

  // This also applies to required values, because a schema can contain itself.
  if (value === undefined && path.length > 0 && ["object", "list", "boolean"].includes(kind)) {
    return (
      <div class="field">
        <button type="button" class="small" onClick={() => onChange(emptyValue(schema, root))}>
          Add {name}
        </button>
        {notes}
      </div>
    );
  }
  if (kind === "object") {
    const members = (value ?? {}) as Record<string, unknown>;
    const names = [...new Set([...Object.keys(schema.properties ?? {}), ...Object.keys(members)])];
    const fields = names.map((member) => (
      <FormField
        key={member}
        form={form}
        schema={(memberOf(schema.properties, member) ?? {}) as Schema}
        label={member}
        path={[...path, member]}
        value={memberOf(members, member)}
        isRequired={schema.required?.includes(member) ?? schema.properties === undefined}
        onChange={(next, filled) => onChange(withMember(members, member, next), filled)}
      />
    ));
    if (path.length === 0) return <>{[fields, notes]}</>;
    return (
      <fieldset>
        <legend>
          {name} {remove}
        </legend>
        {fields}
        {notes}
      </fieldset>
    );
  }
  if (kind === "list") {
    const items: readonly unknown[] = Array.isArray(value) ? value : [];
    const columns = columnsOf(schema.items ?? {}, root, items);
    const onRemove = (index: number) => onChange(items.toSpliced(index, 1));
    /** @param column - the property of the item; the whole item without it */
    const itemField = (index: number, column?: string) => {
      const whole = items[index];
      const ofItem = resolveSchema(schema.items ?? {}, root, whole);
      const members = Object(whole) as Record<string, unknown>;
      const replaceItem = (next: unknown, filled?: string) =>
        onChange(items.with(index, next ?? null), filled);
      const field = { form, label: `${label} ${index + 1}`, path: [...path, index] };
      if (column === undefined) {
        const own = { ...field, schema: schema.items ?? {}, value: whole, onChange: replaceItem };
        return <FormField {...own} isRequired />;
      }
      return (
        <FormField
          form={form}
          schema={(memberOf(ofItem.properties, column) ?? {}) as Schema}
          label={column}
          path={[...path, index, column]}
          value={memberOf(members, column)}
          isRequired={ofItem.required?.includes(column) ?? ofItem.properties === undefined}
          isCell
          onChange={(next, filled) => replaceItem(withMember(members, column, next), filled)}
        />
      );
    };
    return (
      <fieldset>
        <legend>
          {name} {remove}
        </legend>
        {columns ? (
          <FormTable
            {...{ columns, label, onRemove }}
            count={items.length}
            cell={(index, column) => itemField(index, column)}
          />
        ) : (
          items.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item of JSON has nothing else.
            <div class="item" key={index}>
              {itemField(index)}
              <RemoveButton label={`${label} ${index + 1}`} onClick={() => onRemove(index)} />
            </div>
          ))
        )}
        <button
          type="button"
          class="small"
          onClick={() => onChange([...items, emptyValue(schema.items ?? {}, root, items.at(-1))])}
        >
          Add to {name}
        </button>
        {notes}
      </fieldset>
    );
  }
  if (kind === "boolean") {
    return (
      <div class="field check">
        <input
          {...attributes}
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked, ownPath)}
        />
        <label for={id} class={isCell ? "hidden" : ""}>
          {name}
        </label>{" "}
        {!isCell && remove}
        {notes}
      </div>
    );
  }
  return (
    <div class="field">
      <span class={isCell ? "hidden" : ""}>
        <label for={id}>{isCell ? `${formatJsonPath(path)}` : name}</label> {!isCell && remove}
      </span>
      {kind === "choice" ? (
        <select
          {...attributes}
          value={JSON.stringify(value) ?? ""}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value ? JSON.parse(currentTarget.value) : undefined, ownPath)
          }
        >
          {!isRequired && <option value="" />}
          {(schema.enum ?? [schema.const]).map((choice) => (
            <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
              {String(choice)}
            </option>
          ))}
        </select>
      ) : kind === "number" ? (
        <NumberInput
          {...{ attributes, value, unfinished }}
          onText={(text) => {
            if (text.trim() === "") onChange(undefined, ownPath);
            else if (describeNumber(text) === undefined) onChange(Number(text), ownPath);
            else form.onUnfinished(ownPath, text);
          }}
        />
      ) : kind === "text" ? (
        <textarea
          {...attributes}
          rows={Math.min(6, String(value ?? "").split("\n").length)}
          value={String(value ?? "")}
          onInput={({ currentTarget }) => onChange(currentTarget.value, ownPath)}
        />
      ) : (
        <input {...attributes} readOnly value={JSON.stringify(value)} title="Edit this value in the JSON." />
      )}
      {notes}
    </div>
  );
}

function withMember(members: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _last, ...others } = members;
  return value === undefined ? others : { ...members, [name]: value };
}

interface NumberInputProps {
  readonly attributes: object;
  readonly value: unknown;
  /** The text, if it is not a number. */
  readonly unfinished: string | undefined;
  readonly onText: (text: string) => void;
}

/** Keeps the spelling of a number, such as `1.` or `1.50`, while it is typed. */
function NumberInput({ attributes, value, unfinished, onText }: NumberInputProps) {
  const [typed, setTyped] = useState<string>();
  const isSpelling = typed !== undefined && typed.trim() !== "" && Number(typed) === value;
  return (
    <input
      {...attributes}
      inputMode="decimal"
      value={unfinished ?? (isSpelling ? typed : String(value ?? ""))}
      onInput={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onText(text);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
