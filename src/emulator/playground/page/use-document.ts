import { useEffect, useRef, useState } from "preact/hooks";
import { generate, type PdfDocument, type Refusal, type ServerState } from "./server.ts";

/** The result of rendering the current values. */
export interface Rendering {
  /** The last complete document of the template; kept if a later call is refused. */
  readonly document?: PdfDocument | undefined;
  /** The reason why the last call failed. */
  readonly refusal?: Refusal | undefined;
  readonly isPending: boolean;
}

/** The delay between the last keystroke and rendering. A saved file is rendered immediately. */
const typingMs = 300;

/** Renders a document when the template, the values, the rules or a file change; aborts the previous call. */
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
        // A newer call has replaced this one.
      }
    }, delayMs);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [uid, text, rules, saves, state?.apiKey]);
  return rendering.uid === uid ? rendering : { isPending: true };
}
