import fc from "fast-check";
import type { Values } from "./any-samples.ts";

/** Names that objects inherit, and characters that end literals, lines, comments or scripts. */
const hostileNames = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  "a b",
  "'",
  '"',
  "`${x}`",
  "\\",
  "\n",
  "\u2028",
  "\u0000",
  "\ud800",
  "*/",
  "</script>",
  "$(x)",
  "0",
];

const texts = fc.oneof(
  fc.constant("__proto__"),
  fc.constantFrom(...hostileNames),
  fc.string({ unit: "grapheme" }),
  fc.string(),
);

const { values } = fc.letrec<{ value: unknown; values: Values }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "hostile" },
    texts,
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
    tie("values"),
    fc.array(tie("value"), { maxLength: 3, depthIdentifier: "hostile" }),
  ),
  // Unlike an assignment, `Object.fromEntries` creates an own property named `__proto__`.
  values: fc
    .uniqueArray(fc.tuple(texts, tie("value")), {
      selector: ([name]) => name,
      maxLength: 4,
      depthIdentifier: "hostile",
    })
    .map((entries) => Object.fromEntries(entries)),
}));

/** JSON objects with names and texts that are dangerous in source code. */
export const anyHostileValues = values;
