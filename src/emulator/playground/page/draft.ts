import { history, isolateHistory, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import {
  type ChangeSpec,
  EditorState,
  type Extension,
  type StateCommand,
  type Transaction,
} from "@codemirror/state";
import { describeNumberChange, type JsonSyntaxError, parseJson } from "../../../json/json-text.ts";
import { isJsonObject } from "../../../json/json-value.ts";

/** The values that a text describes, or the reason why it describes none. */
type Parsed =
  | { readonly kind: "valid"; readonly values: Record<string, unknown> }
  | { readonly kind: "invalid"; readonly reason: string };

/** The values of one template as a user edits them: a JSON text with its own history of changes. */
export interface Draft {
  /** The text and its history. */
  readonly editor: EditorState;
  /** The change from which `editor` resulted; `undefined` for the initial text. */
  readonly change: Transaction | undefined;
  readonly parsed: Parsed;
  /** Texts in fields for numbers that are not numbers, by the path of the field. They are not part of the JSON. */
  readonly unfinished: Readonly<Record<string, string>>;
  /** The latest valid values, which the form shows. */
  readonly lastValues: Record<string, unknown>;
  /** The latest valid values as JSON without white space. */
  readonly json: string;
  /** The sample of the template. */
  readonly sample: object;
}

/** @param text - the values of the user. Default: the sample */
export function openDraft(sample: object, text = textOf(sample)): Draft {
  const parsed = parseValues(text);
  const editor = EditorState.create({ doc: text, extensions: [history(), editorExtensions] });
  const lastValues = parsed.kind === "valid" ? parsed.values : (sample as Record<string, unknown>);
  const json = JSON.stringify(lastValues);
  return { editor, change: undefined, parsed, unfinished: {}, lastValues, json, sample };
}

/** The extensions of the editor that shows drafts, which are part of its state. */
let editorExtensions: Extension = [];

export function extendEditor(extensions: Extension): void {
  editorExtensions = extensions;
}

export function textOf(values: object): string {
  return JSON.stringify(values, null, 2);
}

export function textIn({ editor }: Draft): string {
  return editor.doc.toString();
}

/** Applies a change that the editor has made. */
export function changed(draft: Draft, change: Transaction): Draft {
  const next = { ...draft, editor: change.state, change };
  if (!change.docChanged) return next;
  const parsed = parseValues(textIn(next));
  if (parsed.kind === "invalid") return { ...next, parsed, unfinished: {} };
  return { ...next, parsed, unfinished: {}, lastValues: parsed.values, json: JSON.stringify(parsed.values) };
}

/** Replaces the whole text in one step, which can be undone. */
export function replaced(draft: Draft, text: string): Draft {
  return changed(draft, edit(draft, text, { annotations: isolateHistory.of("full") }));
}

/**
 * Changes a value in the form.
 *
 * @param path - the path of the field, which is finished. Without it, fields were added or removed, and other fields have their paths
 */
export function filledIn(draft: Draft, values: object, path?: string): Draft {
  const { [path ?? ""]: _finished, ...others } = draft.unfinished;
  const unfinished = path === undefined ? {} : others;
  const text = textOf(values);
  // Changes of a field in quick succession are one step.
  const next =
    text === textIn(draft) ? draft : changed(draft, edit(draft, text, { userEvent: "input.type" }));
  return { ...next, unfinished };
}

/** Keeps a text in a field for numbers that is not a number. */
export function unfinishedAt(draft: Draft, path: string, text: string): Draft {
  return { ...draft, unfinished: { ...draft.unfinished, [path]: text } };
}

/** Follows a new sample of the template file, unless the user has changed the values. */
export function followed(draft: Draft, sample: object): Draft {
  if (sample === draft.sample) return draft;
  const isSame = textOf(sample) === textOf(draft.sample);
  return isSame || isChanged(draft) ? { ...draft, sample } : openDraft(sample);
}

/** Whether the values differ from the sample. */
export function isChanged(draft: Draft): boolean {
  return textIn(draft) !== textOf(draft.sample);
}

export const undone = (draft: Draft) => commanded(draft, undo);
export const redone = (draft: Draft) => commanded(draft, redo);
export const canUndo = ({ editor }: Draft) => undoDepth(editor) > 0;
export const canRedo = ({ editor }: Draft) => redoDepth(editor) > 0;

/** Returns the reason why a draft cannot be sent. */
export function objectionTo({ parsed, unfinished }: Draft): string | undefined {
  if (parsed.kind === "invalid") return parsed.reason;
  const [first] = Object.entries(unfinished);
  return first && `The field ${first[0]} ${describeNumber(first[1])}.`;
}

/** Returns the reason why a text is not a number that can be sent; `undefined` if it is one. */
export function describeNumber(text: string): string | undefined {
  const isNumber = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text.trim());
  if (!isNumber) return "is not a number. Use a point for decimals, such as 12.5";
  return describeNumberChange(text.trim());
}

function commanded(draft: Draft, command: StateCommand): Draft {
  let next = draft;
  command({
    state: draft.editor,
    dispatch: (change) => {
      next = changed(draft, change);
    },
  });
  return next;
}

/** Creates the smallest change to another text, so that the cursor and the history stay exact. */
function edit(
  { editor }: Draft,
  text: string,
  more: { readonly userEvent?: string; readonly annotations?: ReturnType<typeof isolateHistory.of> },
): Transaction {
  const last = editor.doc.toString();
  const most = Math.min(last.length, text.length);
  let from = 0;
  while (from < most && last[from] === text[from]) from += 1;
  let rest = 0;
  while (rest < most - from && last.at(-1 - rest) === text.at(-1 - rest)) rest += 1;
  const changes: ChangeSpec = { from, to: last.length - rest, insert: text.slice(from, text.length - rest) };
  return editor.update({ changes, ...more });
}

/** Parses a text, and rejects what JavaScript would change, such as 1e400. */
export function parseValues(text: string): Parsed {
  try {
    const values = parseJson(text, "");
    if (isJsonObject(values)) return { kind: "valid", values };
    return { kind: "invalid", reason: "The values must be one JSON object, in braces." };
  } catch (error) {
    const { position, reason } = error as JsonSyntaxError;
    return { kind: "invalid", reason: `Line ${position.line}, column ${position.column}: ${reason}.` };
  }
}
