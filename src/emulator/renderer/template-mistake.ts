/** What the emulator itself finds wrong with a template. Its message holds no value, and is told as it is. */
export class TemplateMistake extends Error {
  override readonly name = "TemplateMistake";
}
