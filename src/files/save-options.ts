/** How `saveTo` saves a document. */
export interface SaveOptions {
  /**
   * Whether to create the missing folders in the path. They are created before the request is sent. Default:
   * `false`.
   */
  readonly recursive?: boolean | undefined;
}

/** How a bulk run saves its files. */
export interface SavePolicy extends SaveOptions {
  /** The start of the temporary file's name, after the dot. It identifies the run that left the file behind. */
  readonly mark: string;
  /**
   * Creates the file's folder before the request is sent, and returns the mode of new files in it. If the method
   * throws, the document fails with that error.
   */
  prepare(): Promise<number>;
  /**
   * Returns the reason a document must not be saved to a file, if any. Called before the request is sent, and again before and
   * after the file is written.
   *
   * @param path - the path with all links resolved
   */
  objectionTo(path: string): string | undefined;
}

/** Whether the options come from a bulk run. */
export function isPolicy(options: SaveOptions | SavePolicy): options is SavePolicy {
  return typeof options === "object" && options !== null && Object.hasOwn(options, "prepare");
}
