import { Misuse } from "../failure.ts";

/** Reads an option of which two would mean that one is dropped without a word. */
export function once(option: string, command: string): (value: string, before: string | undefined) => string {
  return (value, before) => {
    if (before === undefined) return value;
    throw new Misuse(`${option} may be given only once. See template-pdf ${command} --help.`);
  };
}

/** Reads an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
