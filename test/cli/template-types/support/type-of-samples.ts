import { Samples } from "../../../../src/cli/template-types/samples.ts";
import { writeTypes } from "../../../../src/cli/template-types/write-types.ts";

export type Values = Record<string, unknown>;

export function seen(samples: readonly Values[]): Samples {
  const all = new Samples();
  for (const sample of samples) all.add(sample);
  return all;
}

/** The type of the values, as it is written. */
export function typeOf(...samples: readonly Values[]): string {
  const template = { uid: "t", shape: seen(samples).shape(), definitions: new Map(), sources: [] };
  return /TValues (?:= ?)?(.*?);?\n\n/s.exec(writeTypes([template], { zod: false }))?.[1] ?? "";
}
