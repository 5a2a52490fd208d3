import fc from "fast-check";
import { anyName } from "./any-shape.ts";

export type Values = Record<string, unknown>;

const names = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("a", "b", "c", "type", "kind", "paid") },
  anyName,
);

const finite = { noNaN: true, noDefaultInfinity: true };
const words = fc.constantFrom("card", "iban", "cash", "Ada Lovelace", "2026-11-21", "");

const { values } = fc.letrec<{ value: unknown; values: Values }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "value" },
    words,
    fc.oneof(words, fc.string(), fc.integer(), fc.double(finite), fc.boolean()),
    fc.constant(null),
    tie("values"),
    fc.array(tie("value"), { maxLength: 4, depthIdentifier: "value" }),
    fc.array(tie("values"), { maxLength: 4, depthIdentifier: "value" }),
  ),
  values: fc
    .uniqueArray(fc.tuple(names, tie("value")), {
      selector: ([name]) => name,
      maxLength: 5,
      depthIdentifier: "value",
    })
    // The values pass through JSON, so that -0 becomes 0.
    .map((properties) => JSON.parse(`{${properties.map(propertyText).join()}}`) as Values),
}));

function propertyText([name, value]: readonly [string, unknown]): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** Samples of one template, with some names and words in common. */
export const anySamples = fc.array(values, { minLength: 1, maxLength: 6 });
