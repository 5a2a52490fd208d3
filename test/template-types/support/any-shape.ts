import fc from "fast-check";
import type { MemberShape, Shape, TemplateShape } from "../../../src/template-types/shape.ts";
import { member, object } from "./make-shape.ts";

/** Property names, some of which need quotes or escapes. */
export const anyName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "id", "name", "lines", "amount", "issuedOn", "kind") },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-zA-Z_$][\w$]{0,60}$/) },
  fc.constantFrom("", "0", "1.5", "-1", "class", "a b", "a-b", "*/", "größe", "金額", "$x", "`"),
  fc.constantFrom("it's", 'say "no"', `it's "no"`, "a\\b", "a\nb", "\u2028", "\u202e", "\ud800"),
  fc.string({ maxLength: 30 }),
  fc.stringMatching(/^[a-z]{3,20}(?:[ -][a-z"']{3,20}){1,3}$/),
);

const comments = fc.constantFrom("What is paid.", "*/ end", "One\nand two\n\n  and three", "", " \n");
const anyComment = fc.option(fc.oneof(comments, fc.string({ maxLength: 90 })), { nil: undefined });

const anyLiteral = fc.oneof(
  fc.constantFrom("card", "iban", "it's", 'say "no"', "x".repeat(90), ""),
  fc.oneof(fc.string({ maxLength: 60 }), fc.boolean(), fc.integer()),
  fc.constantFrom(0.5, -1, 1e21, 1e-7),
);

/** Any shape whose references use these names only. */
function shapesOf(references: readonly string[]): fc.Arbitrary<Shape> {
  const leaves: fc.Arbitrary<Shape>[] = [
    fc.constantFrom<Shape>(
      ...(["string", "number", "boolean", "null", "unknown"] as const).map((kind) => ({ kind })),
    ),
    anyLiteral.map((value) => ({ kind: "literal", value })),
  ];
  if (references.length > 0)
    leaves.push(fc.constantFrom(...references).map((name) => ({ kind: "reference", name })));
  const { shape } = fc.letrec<{ shape: Shape; member: MemberShape; object: Shape }>((tie) => ({
    shape: fc.oneof(
      { maxDepth: 4, depthIdentifier: "shape" },
      fc.oneof(...leaves),
      tie("object"),
      tie("shape").map((items) => ({ kind: "array", items }) as const),
      fc
        .record({
          items: fc.array(tie("shape"), { maxLength: 3, depthIdentifier: "shape" }),
          rest: fc.option(tie("shape"), { nil: undefined, depthIdentifier: "shape" }),
          optional: fc.integer({ min: 0, max: 3 }),
        })
        .map(({ items, rest, optional }): Shape => {
          return { kind: "tuple", items, rest, minItems: Math.max(0, items.length - optional) };
        }),
      fc.array(tie("shape"), { minLength: 2, maxLength: 6, depthIdentifier: "shape" }).map(unionOf),
      fc
        .array(tie("object"), { minLength: 2, maxLength: 3, depthIdentifier: "shape" })
        .map((parts) => unionOf(parts.map(tagged))),
    ),
    member: fc.record({ shape: tie("shape"), isOptional: fc.boolean(), comment: anyComment }),
    object: fc.record({
      kind: fc.constant("object" as const),
      members: fc
        .array(fc.tuple(anyName, tie("member")), { maxLength: 5, depthIdentifier: "shape" })
        .map((members) => new Map(members)),
      others: fc.option(tie("shape"), { nil: undefined, freq: 4, depthIdentifier: "shape" }),
    }),
  }));
  return shape;
}

function unionOf(of: readonly Shape[]): Shape {
  return { kind: "union", of };
}

function tagged(part: Shape, index: number): Shape {
  if (part.kind !== "object") return part;
  const tag = member({ kind: "literal", value: `kind-${index}` });
  return { ...part, members: new Map([...part.members, ["kind", tag]]), others: undefined };
}

/** An object, map or list that contains the shape, or a union of these. */
function anyDefinition(shape: Shape): fc.Arbitrary<Shape> {
  const map = object({}, shape);
  const list: Shape = { kind: "array", items: shape };
  return fc.constantFrom(within(shape), map, list, unionOf([{ kind: "string" }, map, list]));
}

/** Any template, with its definitions and sources. */
export const anyTemplate: fc.Arbitrary<TemplateShape> = fc
  .uniqueArray(fc.constantFrom("Node", "line-item", "lineItem", "x".repeat(30)), { maxLength: 3 })
  .chain((names) =>
    fc.record({
      uid: fc.oneof(fc.stringMatching(/^[a-z]{2,12}(?:[_-][a-z0-9]{2,20}){0,3}$/), anyName),
      shape: shapesOf(names),
      definitions: fc
        .tuple(...names.map(() => shapesOf(names).chain(anyDefinition)))
        .map((shapes) => new Map(names.map((name, index) => [name, shapes[index] ?? within()]))),
      sources: fc.array(fc.constantFrom("a.json", "b/c.ndjson", "*/.json", "d.json"), { maxLength: 9 }),
    }),
  );

/** An object that contains the shape, because values are objects and a shape that only refers to itself is meaningless. */
export function within(shape: Shape = { kind: "unknown" }): Shape {
  return object({ of: member(shape) });
}
