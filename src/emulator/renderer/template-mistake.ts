/** What the emulator itself finds wrong with a template. Its message holds no value, and is told as it is. */
export class TemplateMistake extends Error {
  override readonly name = "TemplateMistake";
  /** What it is about, as the definition has it: told without the values of the call, of which it may be one. */
  readonly about: string | undefined;

  constructor(message: string, about?: string) {
    super(message);
    this.about = about;
  }
}
