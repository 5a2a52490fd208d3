import type { MemberShape, Shape, TemplateShape } from "../../../src/template-types/shape.ts";

export function member(shape: Shape, isOptional = false, comment?: string): MemberShape {
  return { shape, isOptional, comment };
}

export function object(members: Readonly<Record<string, MemberShape>>, others?: Shape): Shape {
  return { kind: "object", members: new Map(Object.entries(members)), others };
}

export function named(
  uid: string,
  sources: readonly string[] = [],
  shape = object({ a: member({ kind: "string" }) }),
) {
  return { uid, shape, definitions: new Map(), sources } satisfies TemplateShape;
}
