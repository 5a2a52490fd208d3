import { defaultKeymap, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import type { Transaction } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { type Draft, extendEditor } from "./draft.ts";

interface JsonEditorProps extends Pick<Draft, "editor" | "change"> {
  readonly onChanges: (changes: readonly Transaction[]) => void;
}

extendEditor([
  [lineNumbers(), drawSelection(), bracketMatching(), highlightActiveLine(), json()],
  syntaxHighlighting(classHighlighter),
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ "aria-label": "Values as JSON" }),
]);

/** A JSON editor. It shows a state that belongs to the draft of a template, so it has no history of its own. */
export function JsonEditor({ editor, change, onChanges }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ editor, onChanges });
  latest.current = { editor, onChanges };
  useEffect(() => {
    const shown = new EditorView({
      parent: place.current as HTMLDivElement,
      state: editor,
      dispatchTransactions: (changes) => {
        const { editor: newest, onChanges: report } = latest.current;
        // A change of the form is on its way to the editor.
        if (newest !== shown.state) return shown.setState(newest);
        shown.update(changes);
        report(changes);
      },
    });
    view.current = shown;
    return () => shown.destroy();
  }, []);
  useEffect(() => {
    const shown = view.current;
    if (!shown || shown.state === editor) return;
    // A single change keeps the place that the editor shows.
    if (change?.startState === shown.state) shown.update([change]);
    else shown.setState(editor);
  }, [editor]);
  return <div class="editor" ref={place} />;
}
