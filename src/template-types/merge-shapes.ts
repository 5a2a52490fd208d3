import type { MemberShape, ObjectShape, Shape, TemplateShape } from "./shape.ts";

/** What is known about the values of a template. */
export interface Sources {
  /** The shape of the values that its schema accepts, and the targets of its references. */
  readonly schema?: Pick<TemplateShape, "shape" | "definitions"> | undefined;
  /** The shape of its samples. */
  readonly sample?: Shape | undefined;
  /** The shape of the values that its placeholders use. */
  readonly usage?: Shape | undefined;
}

/**
 * Merges the sources of a template. The schema decides about the properties that it describes. The samples decide about the types of
 * others, and the placeholders about which of them are required.
 */
export function mergeSources({
  schema,
  sample,
  usage,
}: Sources): Pick<TemplateShape, "shape" | "definitions"> {
  const used = sample && usage ? mergeUsage(sample, usage) : sample;
  if (schema === undefined) return { shape: used ?? { kind: "unknown" }, definitions: new Map() };
  // The shape of recursive values is also a definition.
  if (used === undefined || [...schema.definitions.values()].includes(schema.shape)) return schema;
  return { ...schema, shape: complete(schema.shape, used) };
}

/** Adds what placeholders say to the shape of samples. A property that no placeholder needs is optional. */
function mergeUsage(sample: Shape, usage: Shape): Shape {
  if (sample.kind === "unknown") return sample.isNull ? sample : usage;
  if (sample.kind === "array" && usage.kind === "array") {
    return { kind: "array", items: mergeUsage(sample.items, usage.items) };
  }
  if (sample.kind === "union") return ofOnlyContainer(sample, (inner) => mergeUsage(inner, usage));
  if (sample.kind !== "object" || usage.kind !== "object" || isMap(sample)) return sample;
  if (sample.members.size === 0) return usage;
  const members = new Map(usage.members);
  for (const [name, member] of sample.members) {
    const used = usage.members.get(name);
    const isOptional = member.isOptional || (used?.isOptional ?? true);
    members.set(name, {
      ...member,
      shape: used ? mergeUsage(member.shape, used.shape) : member.shape,
      isOptional,
    });
  }
  return { ...sample, members };
}

/** Completes a shape where its schema does not describe the values. */
function complete(schema: Shape, used: Shape): Shape {
  if (schema.kind === "unknown") return used;
  if (schema.kind === "array" && used.kind === "array") {
    return { kind: "array", items: complete(schema.items, used.items) };
  }
  if (schema.kind === "union") return ofOnlyContainer(schema, (inner) => complete(inner, used));
  if (schema.kind !== "object" || used.kind !== "object") return schema;
  // Such a schema says only that this is an object.
  if (schema.members.size === 0 && schema.others?.kind === "unknown") return used;
  const members = new Map<string, MemberShape>(schema.members);
  for (const [name, member] of used.members) {
    const described = members.get(name);
    if (described) {
      const comment = described.comment ?? member.comment;
      members.set(name, { ...described, shape: complete(described.shape, member.shape), comment });
    } else if (!schema.isClosed && !isMap(schema)) members.set(name, member);
  }
  return { ...schema, members };
}

/** Changes the only array or object in a union. In a union of several, it is unclear which one is meant. */
function ofOnlyContainer(union: Shape & { readonly kind: "union" }, change: (shape: Shape) => Shape): Shape {
  const isContainer = ({ kind }: Shape) => kind === "array" || kind === "object";
  if (union.of.filter(isContainer).length !== 1) return union;
  return { kind: "union", of: union.of.map((each) => (isContainer(each) ? change(each) : each)) };
}

/** Whether the names of the properties are data. */
function isMap({ others }: ObjectShape): boolean {
  return others !== undefined && others.kind !== "unknown";
}
