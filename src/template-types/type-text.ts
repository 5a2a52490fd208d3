import { builders, printer } from "prettier/doc";
import { type Alternative, alternativesOf, arrange } from "./alternatives.ts";
import {
  type MemberShape,
  type ObjectShape,
  type Shape,
  shapesIn,
  sortedMembers,
  type TupleShape,
} from "./shape.ts";
import { docComment, literalText, memberName } from "./source-text.ts";

/** Text with its possible line breaks. */
export type Doc = builders.Doc;

const { group, hardline, ifBreak, indent, join, line, softline } = builders;

/** The names of a template's definitions in the written file. */
export type DefinitionNames = ReadonlyMap<string, string>;

/** The position of a type. Prettier breaks unions differently in each of them. */
type Surroundings = "member" | "array" | "tuple" | "only item" | "argument";

/** Prints a document in lines of at most 80 columns, as Prettier does. */
export function print(doc: Doc): string {
  return printer.printDocToString(doc, { printWidth: 80, tabWidth: 2 }).formatted;
}

/** Writes a type as Prettier would after `name: ` or `type Name = `. */
export function typeText(shape: Shape, names: DefinitionNames, isOptional = false): Doc {
  return typeIn("member", shape, names, isOptional);
}

/** Whether a shape is written as several types with `|` between them. */
export function isUnion(shape: Shape, names: DefinitionNames): boolean {
  return piecesOf(shape, names, false).length > 1;
}

/** Whether a shape is written as an interface. */
export function isInterface(shape: Shape): shape is ObjectShape {
  return shape.kind === "object" && shape.members.size > 0;
}

/** Writes `{ … }` with each property on its own line. */
export function objectText({ members, others }: ObjectShape, names: DefinitionNames): Doc {
  const lines = sortedMembers(members).map(([name, member]): Doc => {
    const sign = member.isOptional ? "?: " : ": ";
    return [
      commentLines(member),
      memberName(name),
      sign,
      typeText(member.shape, names, member.isOptional),
      ";",
    ];
  });
  if (others) {
    const all = [...members.values()];
    const shape: Shape = { kind: "union", of: [others, ...all.map((member) => member.shape)] };
    const mayBeMissing = all.some(({ isOptional }) => isOptional);
    const head = ["[", group([indent([softline, "name: string"]), softline]), "]: "];
    lines.push([head, typeText(shape, names, mayBeMissing), ";"]);
  }
  return block(lines);
}

/** Writes `{ … }` around lines. */
export function block(lines: Doc[]): Doc {
  return lines.length === 0 ? "{}" : ["{", indent([hardline, join(hardline, lines)]), hardline, "}"];
}

/** Writes the author's comment on a property, with a line break after each line. */
export function commentLines({ comment }: MemberShape): Doc {
  return docComment(comment ?? "").map((text) => [text, hardline]);
}

interface Piece {
  readonly doc: Doc;
  readonly kind: Alternative["kind"] | "unknown" | "undefined";
}

function piecesOf(shape: Shape, names: DefinitionNames, isOptional: boolean): readonly Piece[] {
  const alternatives = alternativesOf(shape);
  if (alternatives === undefined) return [{ doc: "unknown", kind: "unknown" }];
  const arranged = arrange(alternatives, (alternative) => alternativeText(alternative, names), print);
  const pieces: Piece[] = arranged.map(({ alternative, written }) => ({
    doc: written,
    kind: alternative.kind,
  }));
  return isOptional ? [...pieces, { doc: "undefined", kind: "undefined" }] : pieces;
}

function typeIn(surroundings: Surroundings, shape: Shape, names: DefinitionNames, isOptional = false): Doc {
  const pieces = piecesOf(shape, names, isOptional);
  const [first] = pieces;
  if (first === undefined) return "never";
  if (pieces.length === 1) return first.doc;
  const written = unionIn(surroundings, pieces);
  return surroundings === "array" ? ["(", written, ")"] : written;
}

function unionIn(surroundings: Surroundings, pieces: readonly Piece[]): Doc {
  const docs = pieces.map(({ doc }) => doc);
  const things = pieces.filter(({ kind }) => kind !== "null");
  const isObjectOrNull = things.length === 1 && ["object", "reference"].includes(things[0]?.kind ?? "");
  if (isObjectOrNull) return join(" | ", docs);
  const alternatives = join([line, "| "], docs.map(indent));
  const plain = group([ifBreak("| "), alternatives]);
  if (surroundings === "member") return group(indent([softline, plain]));
  if (surroundings === "array") return group([indent([softline, plain]), softline]);
  if (surroundings !== "tuple") return plain;
  return group([indent([ifBreak(["(", softline]), plain]), softline, ifBreak(")")]);
}

function alternativeText(alternative: Alternative, names: DefinitionNames): Doc {
  switch (alternative.kind) {
    case "literal":
      return literalText(alternative.value);
    case "array":
      return [typeIn("array", alternative.items, names), "[]"];
    case "tuple":
      return tupleText(alternative, names);
    case "object":
      return alternative.members.size > 0 ? objectText(alternative, names) : recordText(alternative, names);
    case "reference":
      return names.get(alternative.name) ?? "unknown";
    default:
      return alternative.kind;
  }
}

/** Writes `[ … ]` with a question mark after each item that is optional. */
export function tupleText({ items, rest, minItems }: TupleShape, names: DefinitionNames): Doc {
  const count = items.length + (rest ? 1 : 0);
  if (count === 0) return "[]";
  const written = items.map((item, index) => {
    if (index >= minItems) return [typeIn("array", item, names), "?"];
    return typeIn(count > 1 ? "tuple" : "only item", item, names);
  });
  if (rest) written.push(["...", typeIn("array", rest, names), "[]"]);
  return group(["[", indent([softline, join([",", line], written)]), ifBreak(","), softline, "]"]);
}

function recordText(shape: ObjectShape, names: DefinitionNames): Doc {
  const { others } = shape;
  // A type must not be an argument of `Record` in its own declaration, but may be the type of a property.
  if (shapesIn(shape).some(({ kind }) => kind === "reference")) return objectText(shape, names);
  const values = typeIn("argument", others ?? { kind: "never" }, names);
  return ["Record", group(["<", indent([softline, "string,", line, values]), softline, ">"])];
}
