import { builders, utils } from "prettier/doc";
import { type Alternative, alternativesOf, arrange, discriminantOf, literalsOf } from "./alternatives.ts";
import { type ObjectShape, type Shape, shapesIn, sortedMembers, type TupleShape } from "./shape.ts";
import { literalKey, literalText, quoted } from "./source-text.ts";
import {
  block,
  commentLines,
  type DefinitionNames,
  type Doc,
  objectText,
  print,
  tupleText,
} from "./type-text.ts";

const {
  breakParent,
  conditionalGroup,
  group,
  hardline,
  ifBreak,
  indent,
  indentIfBreak,
  join,
  line,
  softline,
} = builders;

/** An expression, with the properties that decide how Prettier breaks its lines. */
export interface Expression {
  readonly doc: Doc;
  /** Whether it is a call with at most one short argument. The line breaks before it rather than inside it. */
  readonly isCompact: boolean;
  /** Whether it is short enough to be the only argument of such a call. */
  readonly isShort: boolean;
  /** Whether it is `{ … }` or `[ … ]`, which stays on the line of the parenthesis before it. */
  readonly isHugged: boolean;
}

/** The names of the definitions' types and schemas. */
export interface ZodNames {
  readonly types: DefinitionNames;
  readonly schemas: DefinitionNames;
}

/** A property that zod never reads, because it could change the prototype of an object. The output of a schema lacks it. */
export const ignoredByZod = "__proto__";

/** Whether the `typed` function is used in an expression. */
export function usesTyped(shape: Shape): boolean {
  return shapesIn(shape).some(isTyped);
}

/** Writes the schema of a shape with the functions that zod 3 and zod 4 share. */
export function zodText(shape: Shape, names: ZodNames, isOptional = false): Expression {
  const alternatives = alternativesOf(shape);
  if (alternatives === undefined)
    return isOptional ? call("z.optional", call("z.unknown")) : call("z.unknown");
  const isNullable = alternatives.length > 1 && alternatives.some(({ kind }) => kind === "null");
  const things = isNullable ? alternatives.filter(({ kind }) => kind !== "null") : alternatives;
  if (!isNullable && !isOptional) return oneOf(things, names);

  const [first] = things;
  if (things.length === 1 && first && ["string", "number", "boolean", "null"].includes(first.kind)) {
    const method = isNullable && isOptional ? "nullish" : isNullable ? "nullable" : "optional";
    return chain(first.kind, [], method);
  }
  const thing = oneOf(things, names);
  const value = isNullable ? call("z.nullable", thing) : thing;
  return isOptional ? call("z.optional", value) : value;
}

/** Writes `name = expression` or `name: expression`. */
export function assigned(name: Doc, sign: string, { doc, isCompact }: Expression, keepsLine = false): Doc {
  if (keepsLine) return group([name, sign, " ", doc]);
  if (isCompact) return group([name, sign, group(indent([line, doc]))]);
  const groupId = Symbol("after the sign");
  return group([name, sign, group(indent(line), { id: groupId }), indentIfBreak(doc, { groupId })]);
}

/** An expression without special properties. */
export function expression(doc: Doc): Expression {
  return { doc, isCompact: false, isShort: false, isHugged: false };
}

/** Writes a call with arguments. */
export function call(name: Doc, ...given: readonly Expression[]): Expression {
  const isCompact = given.length === 0 || (given.length === 1 && given[0]?.isShort === true);
  return { ...expression([name, argumentsText(given)]), isCompact };
}

/** Writes `z.name(…).next(…)`. Longer chains would break differently and are not written. */
function chain(
  name: string,
  given: readonly Expression[],
  next: string,
  ...nextGiven: readonly Expression[]
): Expression {
  const first: Doc = [`.${name}`, argumentsText(given)];
  const last: Doc = [`.${next}`, argumentsText(nextGiven)];
  const apart: Doc = ["z", indent([hardline, first, hardline, last])];
  return expression(utils.willBreak(first) ? apart : firstToFit(["z", first, last], apart));
}

function argumentsText(given: readonly Expression[]): Doc {
  const last = given.at(-1);
  if (last === undefined) return "()";
  const docs = given.map(({ doc }) => doc);
  const all = join([",", line], docs);
  if (!last.isHugged) return plainArguments(all);
  const head = docs.slice(0, -1).map((doc) => [doc, ", "]);
  const hugged: Doc = ["(", head, group(last.doc, { shouldBreak: true }), ")"];
  const apart = group(["(", indent([line, all]), ",", line, ")"], { shouldBreak: true });
  const flat: Doc = ["(", head, last.doc, ")"];
  return utils.willBreak(last.doc) ? firstToFit(hugged, apart) : firstToFit(flat, hugged, apart);
}

/** Returns the first layout that fits. A forced line break in it also breaks the surrounding expression. */
function firstToFit(first: Doc, ...others: Doc[]): Doc {
  return [utils.willBreak(first) ? breakParent : "", conditionalGroup([first, ...others])];
}

function plainArguments(all: Doc): Doc {
  return group(["(", indent([softline, all]), ifBreak(","), softline, ")"]);
}

/** Writes a literal or a name. */
export function term(doc: string): Expression {
  return { ...expression(doc), isShort: doc.length <= 20 };
}

function list(items: readonly Expression[]): Expression {
  if (items.length === 0) return term("[]");
  const docs = items.map(({ doc }) => group(doc));
  const doc = group(["[", indent([softline, join([",", line], docs)]), ifBreak(","), softline, "]"]);
  return { ...expression(doc), isHugged: true };
}

function oneOf(alternatives: readonly Alternative[], names: ZodNames): Expression {
  if (alternatives.length === 0) return call("z.never");
  const isText = (each: Alternative) => each.kind === "literal" && typeof each.value === "string";
  const texts = new Set(
    alternatives.flatMap((each) => (each.kind === "literal" && isText(each) ? [each.value] : [])),
  );
  const isEnum = texts.size > 1;
  const arranged = arrange(
    isEnum ? alternatives.filter((each) => !isText(each)) : alternatives,
    (each) => alternativeText(each, names),
    ({ doc }) => print(doc),
  ).map(({ written }) => written);
  if (isEnum)
    arranged.unshift(call("z.enum", list([...texts].sort().map((value) => term(literalText(value))))));
  const [first] = arranged;
  if (arranged.length === 1 && first) return first;
  const discriminant = discriminantOf(alternatives);
  return discriminant !== undefined &&
    discriminant !== ignoredByZod &&
    alternatives.every((each) => isSwitchable(each, discriminant))
    ? call("z.discriminatedUnion", term(quoted(discriminant)), list(arranged))
    : call("z.union", list(arranged));
}

/** Whether `z.discriminatedUnion` accepts the alternative. Zod 3 supports only literals and enums. */
function isSwitchable(alternative: Alternative, discriminant: string): boolean {
  const literals = literalsOf(alternative, discriminant);
  const isKnown = literals?.length === 1 || literals?.every((literal) => typeof literal === "string");
  return isKnown === true && !isTyped(alternative);
}

/** Whether zod needs an explicit type: it would infer that all properties match `others`, and cannot infer an optional item. */
function isTyped(shape: Shape): boolean {
  if (shape.kind === "tuple") return shape.minItems < shape.items.length;
  return shape.kind === "object" && shape.members.size > 0 && (shape.others ?? anything).kind !== "unknown";
}

const anything: Shape = { kind: "unknown" };

/** The maximum number of shapes in all the tuples of a tuple with optional items. */
const maxTupleParts = 200;

function alternativeText(alternative: Alternative, names: ZodNames): Expression {
  switch (alternative.kind) {
    case "literal": {
      const value = term(literalText(alternative.value));
      return call("z.literal", typeof alternative.value === "string" ? value : { ...value, isShort: true });
    }
    case "array":
      return call("z.array", zodText(alternative.items, names));
    case "tuple":
      return tupleExpression(alternative, names);
    case "object":
      return objectExpression(alternative, names);
    case "reference": {
      const name = names.schemas.get(alternative.name);
      return name === undefined ? call("z.unknown") : term(name);
    }
    default:
      return call(`z.${alternative.kind}`);
  }
}

function objectExpression(shape: ObjectShape, names: ZodNames): Expression {
  const { members, others } = shape;
  if (members.size === 0 && others) return call("z.record", call("z.string"), zodText(others, names));
  const lines = sortedMembers(members).map(([name, member]): Doc => {
    const key = literalKey(name);
    const value = zodText(member.shape, names, member.isOptional);
    return [commentLines(member), assigned(key, ":", value, key.length < 5), ","];
  });
  const literal = { ...expression(block(lines)), isHugged: members.size > 0 };
  if (others === undefined) return call("z.strictObject", literal);
  const open = chain("object", [literal], "catchall", zodText(others, names));
  return isTyped(shape) ? typed(objectText(shape, names.types), open) : open;
}

/** Declares the type of a schema. */
function typed(type: Doc, { doc }: Expression): Expression {
  return expression(["typed<", type, ">", plainArguments(doc)]);
}

/** An optional item makes a tuple of each length, because zod 3 does not know optional items. A long tuple becomes an array. */
function tupleExpression(shape: TupleShape, names: ZodNames): Expression {
  const { items, rest, minItems } = shape;
  const optional = items.length - minItems;
  const tuple = (length: number): Expression => {
    const all = list(items.slice(0, length).map((item) => zodText(item, names)));
    if (length < items.length || !rest) return call("z.tuple", all);
    return chain("tuple", [all], "rest", zodText(rest, names));
  };
  if (optional === 0) return tuple(items.length);
  const isLong = shapesIn(shape).length * optional > maxTupleParts;
  const lengths = Array.from({ length: optional + 1 }, (_, index) => tuple(minItems + index));
  const any: Shape = { kind: "union", of: rest ? [...items, rest] : items };
  const schema = isLong ? call("z.array", zodText(any, names)) : call("z.union", list(lengths));
  const type = group([indent([softline, tupleText(shape, names.types)]), softline]);
  return typed(type, schema);
}
