/** Why a template made no document. The message names the file and, where it is known, the line. */
export class TemplateError extends Error {
  /** The name of this class. */
  override readonly name = "TemplateError";
  /** The path of the template's file. */
  readonly file: string;

  /**
   * @param file - the path of the template's file
   * @param message - beginning with the place, and without any value of the call
   * @param frames - the part of the stack that is the user's own code, which takes the place of ours
   */
  constructor(file: string, message: string, frames: string) {
    super(message);
    this.file = file;
    this.stack = [`TemplateError: ${message}`, frames].filter(Boolean).join("\n");
  }
}
