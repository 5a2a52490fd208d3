import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Annotation, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";

interface JsonEditorProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Marks a change that was not typed here. */
const fromOutside = Annotation.define<true>();

/** A JSON editor. */
export function JsonEditor({ text, onText }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(onText);
  latest.current = onText;
  useEffect(() => {
    const editor = new EditorView({
      parent: place.current as HTMLDivElement,
      state: EditorState.create({
        doc: text,
        extensions: [
          [lineNumbers(), history(), drawSelection(), bracketMatching(), highlightActiveLine(), json()],
          syntaxHighlighting(classHighlighter),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "Values as JSON" }),
          EditorView.updateListener.of((update) => {
            const isOurs = update.transactions.some((each) => each.annotation(fromOutside));
            if (update.docChanged && !isOurs) latest.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);
  useEffect(() => {
    const editor = view.current;
    const shown = editor?.state.doc.toString();
    if (!editor || shown === undefined || shown === text) return;
    editor.dispatch({
      changes: { from: 0, to: shown.length, insert: text },
      annotations: fromOutside.of(true),
    });
  }, [text]);
  return <div class="editor" ref={place} />;
}
