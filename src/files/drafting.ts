/** What whoever stores many documents decides of a file. */
export interface Drafting {
  /** What the file's name begins with, behind a dot, while it is being written: whoever finds it knows whose it was. */
  readonly mark: string;
  /** Sees to the file's folder, before anything is sent: what it throws is what the document fails with. */
  prepare(): Promise<void>;
  /**
   * Says what keeps documents from a file. It is asked before anything is sent, and again before the file is written.
   *
   * @param path - where the links at the document's path lead
   */
  objectionTo(path: string): Promise<string | undefined>;
}

/** What the name of every file ends with that is being written. */
export const draftEnding = ".template-pdf";
