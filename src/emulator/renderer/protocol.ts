import type { Bytes } from "../../index.ts";
import type { ValueIssue } from "../../service/invalid-values.ts";
import type { TemplateFile } from "../template-folder.ts";
import type { TemplateFault } from "./template-fault.ts";

/** The data for starting a rendering thread. All paths are absolute. */
export interface RendererSetup {
  /** The template folder, which is also searched for pdfmake. */
  readonly templates: string;
  readonly images: string | undefined;
  readonly fonts: string | undefined;
  /** See `EmulatorLimits`. Default: no limit. */
  readonly maxNodes?: number;
}

/** A task for a worker thread. Each thread runs one task at a time. */
export interface Task {
  readonly template: TemplateFile;
  /** The values. Without them, the template is only inspected. */
  readonly values?: Record<string, unknown>;
  /** Whether to return the TypeScript types of the template's values. */
  readonly wantsTypes?: boolean;
}

/** The outcome of a task. */
export type Outcome = (
  | {
      readonly kind: "inspected";
      readonly sample: Record<string, unknown>;
      readonly schema: object | undefined;
    }
  /** The types that `template-pdf types` would write. */
  | { readonly kind: "types"; readonly text: string }
  /** `warnings` say what the document does not show. */
  | { readonly kind: "document"; readonly bytes: Bytes; readonly warnings: readonly string[] }
  /** The values are invalid for the template. */
  | { readonly kind: "refused"; readonly issues: readonly ValueIssue[] }
  /** The template failed, for at least one reason; `stack` contains only frames. */
  | {
      readonly kind: "broken";
      readonly faults: readonly TemplateFault[];
      readonly stack: string;
      readonly isTimeout?: boolean;
    }
  /** The caller disconnected before the layout began. */
  | { readonly kind: "abandoned" }
  /** A loaded file has changed, so a new thread is needed. */
  | { readonly kind: "stale" }
) & {
  /**
   * Whether the thread has ended or has only partially loaded a module and must therefore not be given
   * another task.
   */
  readonly isSpent?: boolean;
};

/** The messages from a thread: one when it has started, then one outcome for each task. */
export type Report = "ready" | Outcome;

/** The messages to a thread: tasks, and the cancellation of the current one. */
export type Message = Task | "abandon";
