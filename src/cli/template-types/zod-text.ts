import { type Alternative, alternativesOf, arrange, discriminantOf, literalsOf } from "./alternatives.ts";
import { isInherited } from "./is-inherited.ts";
import {
  brokenGroup,
  firstToFit,
  group,
  hardLine,
  ifBroken,
  indent,
  indentIfBroken,
  isForced,
  join,
  type Layout,
  line,
  print,
  softLine,
} from "./layout.ts";
import type { MemberShape, ObjectShape, Shape } from "./shape.ts";
import { shapesIn } from "./shapes-in.ts";
import { literalText, memberName, quoted } from "./source-text.ts";
import { commentLines, type DefinitionNames, objectText, sortedMembers } from "./type-text.ts";

/** An expression, and what Prettier asks about it before it breaks a line. */
export interface Expression {
  readonly layout: Layout;
  /** Calls without arguments, or with a single short one: a line is broken before it rather than in it. */
  readonly isCompact: boolean;
  /** Short enough as the only argument of such a call. */
  readonly isShort: boolean;
  /** `{ … }` and `[ … ]` stay on the line of the parenthesis before them. */
  readonly isHugged: boolean;
}

/** The one name that no schema of zod keeps: values with it go through unchecked. */
const lost = "__proto__";

/** What the schemas of a template are written with. */
export interface ZodNames {
  readonly types: DefinitionNames;
  readonly schemas: DefinitionNames;
}

/** Whether the function `typed` is used in an expression. */
export function usesTyped(shape: Shape): boolean {
  return shapesIn(shape).some((each) => each.kind === "object" && isTyped(each));
}

/** Writes the schema of a shape in the words that zod 3 and zod 4 have in common. */
export function zodText(shape: Shape, names: ZodNames): Expression {
  const alternatives = alternativesOf(shape);
  if (alternatives === undefined) return call("z.unknown");
  const isNullable = alternatives.length > 1 && alternatives.some(({ kind }) => kind === "null");
  const things = isNullable ? alternatives.filter(({ kind }) => kind !== "null") : alternatives;
  const thing = oneOf(things, names);
  return isNullable ? modified(thing, things, "nullable") : thing;
}

/** Writes `name = expression` or `name: expression`, from the sign on. */
export function assigned(
  name: Layout,
  sign: string,
  { layout, isCompact }: Expression,
  keepsLine = false,
): Layout {
  if (keepsLine) return group(name, sign, " ", layout);
  if (isCompact) return group(name, sign, group(indent(line, layout)));
  const gap = group(indent(line));
  return group(name, sign, gap, indentIfBroken(gap, layout));
}

/** An expression of which nothing more is to be said. */
export function expression(layout: Layout): Expression {
  return { layout, isCompact: false, isShort: false, isHugged: false };
}

/** Writes a call with arguments. */
export function call(name: string, ...given: readonly Expression[]): Expression {
  const [only] = given;
  const isCompact = given.length === 0 || (given.length === 1 && only?.isShort === true);
  return { ...expression([name, argumentsText(given)]), isCompact };
}

/** Writes `z.name(…).next(…)`; chains of more calls would be broken in other ways, so there are none. */
function chain(
  name: string,
  given: readonly Expression[],
  next: string,
  ...nextGiven: readonly Expression[]
): Expression {
  const [first, last] = [
    [`.${name}`, argumentsText(given)],
    [`.${next}`, argumentsText(nextGiven)],
  ];
  const apart = ["z", indent(hardLine, first, hardLine, last)];
  const layout = isForced(first) ? group(apart) : firstToFit(["z", first, last], apart);
  return expression(layout);
}

function argumentsText(given: readonly Expression[]): Layout {
  const last = given.at(-1);
  if (last === undefined) return "()";
  const layouts = given.map(({ layout }) => layout);
  const all = join([",", line], layouts);
  if (!last.isHugged) return plainArguments(all);
  const head = layouts.slice(0, -1).map((layout) => [layout, ", "]);
  const hugged = ["(", head, brokenGroup(last.layout), ")"];
  const apart = brokenGroup("(", indent(line, all), ",", line, ")");
  const flat = ["(", head, last.layout, ")"];
  return isForced(last.layout) ? firstToFit(hugged, apart) : firstToFit(flat, hugged, apart);
}

function plainArguments(all: Layout): Layout {
  return group("(", indent(softLine, all), ifBroken(","), softLine, ")");
}

export function text(value: string): Expression {
  const layout = quoted(value);
  return { ...expression(layout), isShort: layout.length <= 20 };
}

export function identifier(name: string): Expression {
  return { ...expression(name), isShort: name.length <= 20 };
}

function list(items: readonly Expression[]): Expression {
  const all = join(
    [",", line],
    items.map(({ layout }) => group(layout)),
  );
  const layout = items.length === 0 ? "[]" : group("[", indent(softLine, all), ifBroken(","), softLine, "]");
  return { ...expression(layout), isShort: items.length === 0, isHugged: items.length > 0 };
}

function oneOf(alternatives: readonly Alternative[], names: ZodNames): Expression {
  if (alternatives.length === 0) return call("z.never");
  const discriminant = alternatives.every(isUntypedObject) ? discriminantOf(alternatives) : undefined;
  const texts = alternatives.flatMap((each) =>
    each.kind === "literal" && typeof each.value === "string" ? [each.value] : [],
  );
  const isEnum = new Set(texts).size > 1;
  const arranged = arrange(
    isEnum
      ? alternatives.filter((each) => each.kind !== "literal" || typeof each.value !== "string")
      : alternatives,
    (each) => alternativeText(each, names),
    ({ layout }) => print(layout),
  ).map(({ written }) => written);
  if (isEnum) arranged.unshift(call("z.enum", list([...new Set(texts)].sort().map(text))));
  const [first] = arranged;
  if (arranged.length === 1 && first) return first;
  const canSwitch =
    discriminant !== undefined && alternatives.every((each) => isSwitch(literalsOf(each, discriminant)));
  return canSwitch && discriminant !== undefined
    ? call("z.discriminatedUnion", text(discriminant), list(arranged))
    : call("z.union", list(arranged));
}

/** Zod 3 looks into literals and enums only. */
function isSwitch(literals: readonly unknown[] | undefined): boolean {
  return literals?.length === 1 || (literals?.every((literal) => typeof literal === "string") ?? false);
}

function isUntypedObject(alternative: Alternative): boolean {
  return alternative.kind === "object" && alternative.members.size > 0 && !isTyped(alternative);
}

/**
 * Whether zod has to be told the type of an object: of one with members without a name it would infer that all are
 * like them, `__proto__` it drops, and some members it cannot check.
 */
function isTyped({ members, others }: ObjectShape): boolean {
  if (members.size === 0) return false;
  const isOpen = others !== undefined && others.kind !== "unknown";
  return isOpen || members.has(lost) || [...members].some(([name, member]) => isUnchecked(name, member));
}

/** Zod takes what an object inherits for its member: where it may be missing, it cannot be checked. */
function isUnchecked(name: string, { isOptional }: MemberShape): boolean {
  return isOptional && isInherited(name);
}

function alternativeText(alternative: Alternative, names: ZodNames): Expression {
  switch (alternative.kind) {
    case "literal":
      return call(
        "z.literal",
        typeof alternative.value === "string"
          ? text(alternative.value)
          : { ...expression(literalText(alternative.value)), isShort: true },
      );
    case "array":
      return call("z.array", zodText(alternative.items, names));
    case "tuple": {
      const items = list(alternative.items.map((item) => zodText(item, names)));
      return alternative.rest
        ? chain("tuple", [items], "rest", zodText(alternative.rest, names))
        : call("z.tuple", items);
    }
    case "object":
      return objectExpression(alternative, names);
    case "reference": {
      const name = names.schemas.get(alternative.name);
      return name === undefined ? call("z.unknown") : identifier(name);
    }
    default:
      return call(`z.${alternative.kind}`);
  }
}

function objectExpression(shape: ObjectShape, names: ZodNames): Expression {
  const { members, others } = shape;
  const checked = new Map([...members].filter(([name, member]) => !isUnchecked(name, member)));
  if (members.size === 0 && others) return call("z.record", call("z.string"), zodText(others, names));
  const literal = { ...expression(membersText(checked, names)), isHugged: checked.size > 0 };
  if (!isTyped(shape)) {
    return others
      ? chain("object", [literal], "catchall", zodText(others, names))
      : call("z.strictObject", literal);
  }
  const rest: Shape = checked.size < members.size ? { kind: "unknown" } : (others ?? { kind: "never" });
  const open = members.has(lost)
    ? call("z.unknown")
    : chain("object", [literal], "catchall", zodText(rest, names));
  const layout = ["typed<", objectText(shape, names.types), ">", plainArguments(open.layout)];
  return expression(layout);
}

function membersText(members: ObjectShape["members"], names: ZodNames): Layout {
  if (members.size === 0) return "{}";
  const lines = sortedMembers(members).map(([name, member]) => {
    const key = memberName(name);
    const schema = zodText(member.shape, names);
    const value = member.isOptional ? optional(schema, member.shape) : schema;
    return [commentLines(member), assigned(key, ":", value, key.length < 5), ","];
  });
  return ["{", indent(hardLine, join(hardLine, lines)), hardLine, "}"];
}

function optional(schema: Expression, shape: Shape): Expression {
  const alternatives = alternativesOf(shape);
  if (alternatives?.length === 2 && alternatives.some(({ kind }) => kind === "null")) {
    const [thing] = alternatives.filter(({ kind }) => kind !== "null");
    if (thing && isPrimitive(thing)) return chain(thing.kind, [], "nullish");
  }
  return modified(schema, alternatives ?? [], "optional");
}

function modified(
  schema: Expression,
  alternatives: readonly Alternative[],
  method: "optional" | "nullable",
): Expression {
  const [only] = alternatives;
  return alternatives.length === 1 && only && isPrimitive(only)
    ? chain(only.kind, [], method)
    : call(`z.${method}`, schema);
}

function isPrimitive({ kind }: Alternative): boolean {
  return kind === "string" || kind === "number" || kind === "boolean" || kind === "null";
}
