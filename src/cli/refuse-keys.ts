import { Misuse } from "./failure.ts";

/** Keys that were given as options. Known only to be refused: else one would be taken for the uid, and shown. */
export interface GivenKeys {
  readonly apiKey?: unknown;
  readonly key?: unknown;
}

/** @throws {Misuse} when a key was given where others see it */
export function refuseKeys({ apiKey, key }: GivenKeys): void {
  if (apiKey === undefined && key === undefined) return;
  throw new Misuse(
    "The API key is not taken from the command line, where other users of this machine and the shell's history see it. " +
      "Put TEMPLATE_PDF_API_KEY=… into the environment, or into the file .env in this folder.",
  );
}
