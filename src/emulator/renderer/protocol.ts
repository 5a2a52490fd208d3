import type { Bytes } from "../../index.ts";
import type { ValueIssue } from "../../service/invalid-values.ts";
import type { TemplateFile } from "../template-folder.ts";

/** What a rendering thread is given at its start; every path is absolute. */
export interface RendererSetup {
  /** The folder of the templates, from where pdfmake is looked for, too. */
  readonly templates: string;
  readonly images: string | undefined;
  readonly fonts: string | undefined;
}

/** What a thread is asked; it does one thing at a time. */
export interface Task {
  readonly template: TemplateFile;
  /** Without them, the template is only inspected. */
  readonly values?: Record<string, unknown>;
  /** Whether the TypeScript types of its values are wanted. */
  readonly wantsTypes?: boolean;
}

/** How a task ended. */
export type Outcome = (
  | {
      readonly kind: "inspected";
      readonly sample: Record<string, unknown>;
      readonly schema: object | undefined;
    }
  /** As `template-pdf types` writes them. */
  | { readonly kind: "types"; readonly text: string }
  /** `missing` holds the characters that its fonts lack. */
  | { readonly kind: "document"; readonly bytes: Bytes; readonly missing: string }
  /** The values do not fit the template. */
  | { readonly kind: "refused"; readonly issues: readonly ValueIssue[] }
  /** The template is to blame; `stack` holds the frames alone. */
  | { readonly kind: "broken"; readonly message: string; readonly stack: string }
  /** The caller left before the layout was begun. */
  | { readonly kind: "abandoned" }
  /** A file that this thread has loaded is another one now: only a new thread can load it again. */
  | { readonly kind: "stale" }
) & {
  /** Whether the thread has half-loaded something, or has ended, and should do no other task. */
  readonly isSpent?: boolean;
};

/** What comes out of a thread: that it has started, then one outcome a task. */
export type Report = "ready" | Outcome;

/** What a thread hears: tasks, and that nobody waits for the one it has. */
export type Message = Task | "abandon";
