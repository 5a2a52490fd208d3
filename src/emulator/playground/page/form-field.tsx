import { useState } from "preact/hooks";
import { formatJsonPath } from "../../../request/serialize-values.ts";
import { emptyValue, kindOf, memberOf, resolveSchema, type Schema } from "./form-kinds.ts";
import type { Refusal } from "./server.ts";

interface FormFieldProps {
  readonly schema: Schema;
  /** The whole schema, for references. */
  readonly root: Schema;
  readonly label: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly errors: Refusal["errors"];
  /** `undefined` removes the value. */
  readonly onChange: (value: unknown) => void;
}

/** Edits one value of the form, including nested values. */
export function FormField(props: FormFieldProps) {
  const { root, label, path, value, isRequired, errors, onChange } = props;
  const schema = resolveSchema(props.schema, root, value);
  const kind = kindOf(schema, value);
  const id = `field ${JSON.stringify(path)}`;
  const problems = errors.filter((error) => error.path === formatJsonPath(path));
  const name = schema.title ?? label;
  const remove = value !== undefined && !isRequired && (
    <button type="button" class="small" aria-label={`Remove ${label}`} onClick={() => onChange(undefined)}>
      ×
    </button>
  );
  const notes = (
    <>
      {schema.description !== undefined && <small id={`${id} note`}>{schema.description}</small>}
      {problems.length > 0 && (
        <small class="fault" id={`${id} fault`} role="alert">
          {problems.map(({ detail }) => detail).join("; ")}
        </small>
      )}
    </>
  );
  const attributes = {
    id,
    "aria-invalid": problems.length > 0,
    "aria-describedby": [problems.length > 0 && `${id} fault`, schema.description && `${id} note`]
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
        {...{ root, errors }}
        schema={(memberOf(schema.properties, member) ?? {}) as Schema}
        label={member}
        path={[...path, member]}
        value={memberOf(members, member)}
        isRequired={schema.required?.includes(member) ?? schema.properties === undefined}
        onChange={(next) => onChange(withMember(members, member, next))}
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
    const items = Array.isArray(value) ? value : [];
    return (
      <fieldset>
        <legend>
          {name} {remove}
        </legend>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item of JSON has nothing else.
          <div class="item" key={index}>
            <FormField
              {...{ root, errors }}
              schema={schema.items ?? {}}
              label={`${label} ${index + 1}`}
              path={[...path, index]}
              value={item}
              isRequired
              onChange={(next) => onChange(items.map((other, at) => (at === index ? (next ?? null) : other)))}
            />
            <button
              type="button"
              class="small"
              aria-label={`Remove ${label} ${index + 1}`}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              ×
            </button>
          </div>
        ))}
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
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <label for={id}>{name}</label> {remove}
        {notes}
      </div>
    );
  }
  return (
    <div class="field">
      <span>
        <label for={id}>{name}</label> {remove}
      </span>
      {kind === "choice" ? (
        <select
          {...attributes}
          value={JSON.stringify(value) ?? ""}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value ? JSON.parse(currentTarget.value) : undefined)
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
        <NumberInput {...{ attributes, value, onChange }} />
      ) : kind === "text" ? (
        <textarea
          {...attributes}
          rows={Math.min(6, String(value ?? "").split("\n").length)}
          value={String(value ?? "")}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
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

type NumberInputProps = Pick<FormFieldProps, "value" | "onChange"> & { readonly attributes: object };

/** Keeps incomplete input such as `1.` or `-` until it is a number. */
function NumberInput({ attributes, value, onChange }: NumberInputProps) {
  const [typed, setTyped] = useState<string>();
  const isReplaced = typed?.trim() && Number.isFinite(Number(typed)) && Number(typed) !== value;
  return (
    <input
      {...attributes}
      inputMode="decimal"
      value={typed === undefined || isReplaced ? String(value ?? "") : typed}
      onInput={({ currentTarget: { value: text } }) => {
        setTyped(text);
        if (text.trim() === "") onChange(undefined);
        else if (Number.isFinite(Number(text))) onChange(Number(text));
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
