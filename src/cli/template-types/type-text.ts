import { type Alternative, alternativesOf, arrange } from "./alternatives.ts";
import { isInherited } from "./is-inherited.ts";
import { group, hardLine, ifBroken, indent, join, type Layout, line, print, softLine } from "./layout.ts";
import type { MemberShape, ObjectShape, Shape } from "./shape.ts";
import { docComment, literalText, memberName } from "./source-text.ts";

/** What the definitions of a template are called. */
export type DefinitionNames = ReadonlyMap<string, string>;

/** Where a type stands; Prettier breaks unions differently in each of them. */
type Surroundings = "member" | "array" | "tuple" | "only item" | "argument";

/** Writes a type as Prettier would, at the right of `name: ` or of `type Name = `. */
export function typeText(shape: Shape, names: DefinitionNames, isOptional = false): Layout {
  return typeIn("member", shape, names, isOptional);
}

/** Whether a shape is written as several types with `|` between them. */
export function isUnion(shape: Shape, names: DefinitionNames): boolean {
  return piecesOf(shape, names, false).length > 1;
}

/** Whether a shape is written as an interface, and no other type. */
export function isInterface(shape: Shape): shape is ObjectShape {
  return shape.kind === "object" && shape.members.size > 0;
}

/** Writes `{ … }`, with each member on a line of its own. */
export function objectText({ members, others }: ObjectShape, names: DefinitionNames): Layout {
  const sorted = sortedMembers(members);
  // Beside others the type of them all speaks of a vague member, too.
  const named = others ? sorted.filter(([name, member]) => !isVague(name, member)) : sorted;
  const lines = named.map(([name, member]) => {
    const shape: Shape = isVague(name, member) ? { kind: "unknown" } : member.shape;
    const sign = member.isOptional ? "?: " : ": ";
    return [commentLines(member), memberName(name), sign, typeText(shape, names, member.isOptional), ";"];
  });
  if (others) {
    const all: Shape = { kind: "union", of: [others, ...shapesOf(members)] };
    const mayBeMissing = [...members.values()].some(({ isOptional }) => isOptional);
    const head = ["[", group(indent(softLine, "name: string"), softLine), "]: "];
    lines.push([head, typeText(all, names, mayBeMissing), ";"]);
  }
  return ["{", indent(hardLine, join(hardLine, lines)), hardLine, "}"];
}

/** Whether the compiler would take what an object inherits for that member, and refuse every object without it. */
function isVague(name: string, { isOptional }: MemberShape): boolean {
  return isOptional && name !== "__proto__" && isInherited(name);
}

/** By name, in the order of code units, which depends on no language. */
export function sortedMembers(
  members: ReadonlyMap<string, MemberShape>,
): readonly (readonly [string, MemberShape])[] {
  return [...members].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What a member's author says of it, each line followed by a new one. */
export function commentLines({ comment }: MemberShape): Layout {
  return docComment(comment ?? "").map((text) => [text, hardLine]);
}

function shapesOf(members: ReadonlyMap<string, MemberShape>): readonly Shape[] {
  return sortedMembers(members).map(([, { shape }]) => shape);
}

interface Piece {
  readonly layout: Layout;
  readonly isNull: boolean;
  /** Whether Prettier keeps it on the line when only null stands beside it. */
  readonly isObjectLike: boolean;
}

function piecesOf(shape: Shape, names: DefinitionNames, isOptional: boolean): readonly Piece[] {
  const alternatives = alternativesOf(shape);
  if (alternatives === undefined) return [{ layout: "unknown", isNull: false, isObjectLike: false }];
  const pieces = arrange(
    alternatives,
    (alternative) => alternativeText(alternative, names),
    (layout) => print(layout),
  ).map(({ alternative: { kind }, written }) => ({
    layout: written,
    isNull: kind === "null",
    isObjectLike: kind === "object" || kind === "reference",
  }));
  if (isOptional) pieces.push({ layout: "undefined", isNull: false, isObjectLike: false });
  return pieces;
}

function typeIn(
  surroundings: Surroundings,
  shape: Shape,
  names: DefinitionNames,
  isOptional = false,
): Layout {
  const pieces = piecesOf(shape, names, isOptional);
  const [first] = pieces;
  if (first === undefined) return "never";
  if (pieces.length === 1) return first.layout;
  const written = unionIn(surroundings, pieces);
  return surroundings === "array" ? ["(", written, ")"] : written;
}

function unionIn(surroundings: Surroundings, pieces: readonly Piece[]): Layout {
  const things = pieces.filter(({ isNull }) => !isNull);
  if (things.length === 1 && things[0]?.isObjectLike) {
    return join(
      " | ",
      pieces.map(({ layout }) => layout),
    );
  }
  const alternatives = join(
    [line, "| "],
    pieces.map(({ layout }) => indent(layout)),
  );
  const plain = group(ifBroken("| "), alternatives);
  if (surroundings === "member") return group(indent(softLine, plain));
  if (surroundings === "array") return group(indent(softLine, plain), softLine);
  if (surroundings !== "tuple") return plain;
  return group(indent(ifBroken(["(", softLine]), plain), softLine, ifBroken(")"));
}

function alternativeText(alternative: Alternative, names: DefinitionNames): Layout {
  switch (alternative.kind) {
    case "literal":
      return literalText(alternative.value);
    case "array":
      return [typeIn("array", alternative.items, names), "[]"];
    case "tuple":
      return tupleText(alternative.items, alternative.rest, names);
    case "object":
      return alternative.members.size > 0 ? objectText(alternative, names) : recordText(alternative, names);
    case "reference":
      return names.get(alternative.name) ?? "unknown";
    default:
      return alternative.kind;
  }
}

function tupleText(items: readonly Shape[], rest: Shape | undefined, names: DefinitionNames): Layout {
  const count = items.length + (rest ? 1 : 0);
  if (count === 0) return "[]";
  const written = items.map((item) => typeIn(count > 1 ? "tuple" : "only item", item, names));
  if (rest) written.push(["...", typeIn("array", rest, names), "[]"]);
  return group("[", indent(softLine, join([",", line], written)), ifBroken(","), softLine, "]");
}

function recordText({ others }: ObjectShape, names: DefinitionNames): Layout {
  const values = typeIn("argument", others ?? { kind: "never" }, names);
  return ["Record", group("<", indent(softLine, "string,", line, values), softLine, ">")];
}
