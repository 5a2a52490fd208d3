import { discriminantOf } from "../alternatives.ts";
import type { MemberShape, ObjectShape, Shape, UnknownShape } from "../shape.ts";
import type { SchemaDefinitions } from "./schema-definitions.ts";

/** A value about which a schema says nothing but names. */
export function mentioning(mentions: readonly Shape[]): UnknownShape {
  const named = mentions.filter(({ kind }) => containers.has(kind));
  return named.length > 0 ? { kind: "unknown", mentions: named } : { kind: "unknown" };
}

const containers: ReadonlySet<Shape["kind"]> = new Set(["object", "array", "tuple", "union", "reference"]);

/**
 * Adds the property names in `mentioned` to a shape. A schema that applies only in some cases, such as `then`, does not describe
 * the property, but the property is not unknown either.
 */
export function mention(shape: Shape, mentioned: Shape, definitions: SchemaDefinitions): Shape {
  switch (shape.kind) {
    case "union":
      return { ...shape, of: shape.of.map((each) => mention(each, mentioned, definitions)) };
    case "reference":
      if (mentioned.kind !== "reference" || mentioned.name !== shape.name) {
        definitions.mention(shape.name, mentioned);
      }
      return shape;
    case "array":
      return { ...shape, items: mentionItems(shape.items, mentioned, definitions) };
    case "tuple": {
      const { items, rest } = shape;
      return {
        ...shape,
        items: items.map((item, index) => mentionItems(item, mentioned, definitions, index)),
        rest: rest && mentionItems(rest, mentioned, definitions),
      };
    }
    case "object":
      return partsOf(mentioned, definitions).reduce(
        (all: ObjectShape, part) => (part.kind === "object" ? mentionNames(all, part, definitions) : all),
        shape,
      );
    default:
      return shape;
  }
}

function mentionItems(item: Shape, mentioned: Shape, definitions: SchemaDefinitions, index?: number): Shape {
  const items = partsOf(mentioned, definitions).flatMap((part) => {
    if (part.kind === "array") return [part.items];
    if (part.kind !== "tuple") return [];
    const others = part.rest ? [part.rest] : [];
    return index === undefined ? [...part.items, ...others] : [part.items[index] ?? others].flat();
  });
  return items.reduce((all, each) => mention(all, each, definitions), item);
}

function mentionNames(
  shape: ObjectShape,
  { members }: ObjectShape,
  definitions: SchemaDefinitions,
): ObjectShape {
  const all = new Map<string, MemberShape>(shape.members);
  let { others } = shape;
  for (const [name, mentioned] of members) {
    const known = all.get(name);
    if (known) all.set(name, { ...known, shape: mention(known.shape, mentioned.shape, definitions) });
    else if (others === undefined || shape.isOpen) {
      all.set(name, {
        shape: { kind: "unknown" },
        isOptional: true,
        comment: mentioned.comment,
        isMentioned: true,
      });
    } else others = mention(others, mentioned.shape, definitions);
  }
  return { ...shape, members: all, others };
}

/** The alternatives of a shape, without unions and references. */
function partsOf(shape: Shape, definitions: SchemaDefinitions): readonly Shape[] {
  if (shape.kind === "union") return shape.of.flatMap((each) => partsOf(each, definitions));
  if (shape.kind === "unknown") return (shape.mentions ?? []).flatMap((each) => partsOf(each, definitions));
  if (shape.kind !== "reference") return [shape];
  const meant = definitions.resolve(shape.name);
  return meant ? partsOf(meant, definitions) : [];
}

/** Whether no value has both shapes, because a literal property distinguishes them. References are not compared. */
export function areExclusive(one: Shape, other: Shape): boolean {
  if (one.kind === "array" && other.kind === "array") return areExclusive(one.items, other.items);
  if (one.kind !== other.kind || one.kind === "union" || one.kind === "tuple") return false;
  return (
    one.kind !== "object" ||
    discriminantOf([one, other] as Parameters<typeof discriminantOf>[0]) !== undefined
  );
}
