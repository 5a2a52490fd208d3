import { useEffect, useRef, useState } from "preact/hooks";
import { generate, type PdfDocument, type Refusal, type ServerState } from "./server.ts";

/** What became of the values that are shown. */
export interface Rendering {
  /** The last whole document of the template; it stays while a later one is refused. */
  readonly document?: PdfDocument | undefined;
  /** Why the last call gave none. */
  readonly refusal?: Refusal | undefined;
  readonly isPending: boolean;
}

/** How long after the last keystroke a document is rendered. A saved file is rendered at once. */
const typingMs = 300;

/** Renders a document whenever the template, the values, the rules or a file change; an older call is aborted. */
export function useDocument(
  state: ServerState | undefined,
  uid: string | undefined,
  values: object | undefined,
  saves: number,
): Rendering {
  const [rendering, setRendering] = useState<Rendering & { readonly uid?: string }>({ isPending: false });
  const text = values && JSON.stringify(values);
  const rules = JSON.stringify(state?.misbehaviour);
  const lastSaves = useRef(saves);
  useEffect(() => {
    const delayMs = lastSaves.current === saves ? typingMs : 0;
    lastSaves.current = saves;
    if (!state || uid === undefined || text === undefined) return;
    const leaving = new AbortController();
    setRendering((last) => ({ ...(last.uid === uid ? last : { uid }), isPending: true }));
    const timer = setTimeout(async () => {
      try {
        const result = await generate(state, uid, JSON.parse(text), leaving.signal);
        const outcome = "bytes" in result ? { document: result, refusal: undefined } : { refusal: result };
        setRendering((last) => ({ ...last, ...outcome, isPending: false }));
      } catch {
        // Another call has taken the place of this one.
      }
    }, delayMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [uid, text, rules, saves, state?.apiKey]);
  return rendering.uid === uid ? rendering : { isPending: true };
}
