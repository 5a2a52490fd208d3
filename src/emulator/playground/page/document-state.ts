import type { PdfDocument, Refusal } from "./server.ts";

/** What to render: the values of a template. `key` differs whenever the document may differ. */
export interface Input {
  readonly uid: string;
  readonly key: string;
  /** The values. */
  readonly json: string;
}

/** What is known about the documents of a template. Each fact belongs to an input. */
export interface DocumentFacts {
  /** The latest complete document. */
  readonly document?: { readonly key: string; readonly document: PdfDocument } | undefined;
  /** The latest refusal; `undefined` after a document. */
  readonly refusal?: { readonly key: string; readonly refusal: Refusal } | undefined;
  /** The document that was requested last. */
  readonly request?:
    | { readonly key: string; readonly id: number; readonly sinceMs: number; readonly hasBegun: boolean }
    | undefined;
}

/** The reason why there is no document for the current values yet. `detail` is set if the user has to do something. */
export type Pending =
  | { readonly why: "template" }
  | { readonly why: "invalid" | "offline"; readonly detail: string }
  | { readonly why: "typing" }
  | { readonly why: "queue" | "rendering"; readonly sinceMs: number };

/** What the page shows for a template. */
export type DocumentState =
  /** There has never been a document. */
  | { readonly kind: "loading"; readonly pending: Pending; readonly refusal: Refusal | undefined }
  /** The document shows the current values. */
  | { readonly kind: "ready"; readonly document: PdfDocument }
  /** The document shows earlier values, or an earlier template file. */
  | {
      readonly kind: "stale";
      readonly document: PdfDocument;
      readonly pending: Pending;
      /** Why there was no document for earlier values, if they were the last ones. */
      readonly refusal: Refusal | undefined;
    }
  /** There is no document for the current values. The last document, if any, shows earlier ones. */
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly document: PdfDocument | undefined };

/** @param input - the current values, or the reason why there are none */
export function documentStateOf(facts: DocumentFacts, input: Input | Pending): DocumentState {
  const document = facts.document?.document;
  const refusal = facts.refusal?.refusal;
  if ("key" in input) {
    if (refusal && facts.refusal?.key === input.key) return { kind: "refused", refusal, document };
    if (document && facts.document?.key === input.key) return { kind: "ready", document };
  }
  const pending = "key" in input ? pendingOf(facts, input) : input;
  return document ? { kind: "stale", document, pending, refusal } : { kind: "loading", pending, refusal };
}

function pendingOf({ request }: DocumentFacts, { key }: Input): Pending {
  if (request?.key !== key) return { why: "typing" };
  return { why: request.hasBegun ? "rendering" : "queue", sinceMs: request.sinceMs };
}
