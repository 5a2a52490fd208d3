import { builders } from "prettier/doc";
import { nameDefinitions, nameTemplates, schemaName, type TemplateNames } from "./names.ts";
import { type Shape, shapesIn, type TemplateShape } from "./shape.ts";
import { docComment, memberName, quoted } from "./source-text.ts";
import {
  block,
  type DefinitionNames,
  type Doc,
  isInterface,
  isUnion,
  objectText,
  print,
  typeText,
} from "./type-text.ts";
import { assigned, call, type Expression, expression, term, usesTyped, zodText } from "./zod-text.ts";

const { group, hardline, indent, join, line, softline } = builders;

/** The first line of every written file, which identifies it. */
export const signature = "// Written by `template-pdf types`: run that again instead of editing this file.";

/** The maximum number of sources in a comment. */
const maxSources = 5;

/** A template, and the names of its generated declarations. */
interface NamedTemplate extends TemplateShape {
  readonly own: TemplateNames;
  /** The type names of its definitions. A definition of the values themselves has their name. */
  readonly types: DefinitionNames;
}

/**
 * Writes the TypeScript file with the types of templates, formatted as Prettier would.
 *
 * @param options.zod - whether to include zod schemas, which also check values at run time
 * @throws {NameClash} if two templates would have the same name
 */
export function writeTypes(templates: readonly TemplateShape[], { zod }: { readonly zod: boolean }): string {
  const named = withNames(templates, zod);
  const client = 'import { template } from "template-pdf";';
  const imports: Doc = zod ? [client, hardline, 'import * as z from "zod";'] : client;
  const needsHelper = named.some(({ shape, definitions }) => definitions.size > 0 || usesTyped(shape));
  const statements = [
    ...(named.length > 0 ? [imports] : []),
    ...(zod && needsHelper ? helper : []),
    ...named.flatMap((template) => statementsOf(template, zod)),
    mapOf(named),
    ...named.map((template) => constantOf(template, zod)),
  ];
  return `${print([signature, hardline, hardline, join([hardline, hardline], statements)])}\n`;
}

function withNames(templates: readonly TemplateShape[], zod: boolean): readonly NamedTemplate[] {
  const sorted = [...templates].sort((a, b) => (a.uid < b.uid ? -1 : 1));
  const names = nameTemplates(
    sorted.map(({ uid }) => uid),
    zod,
  );
  const used = new Set(["Schema", "Templates", "ReturnType", ...[...names.values()].flatMap(Object.values)]);
  return sorted.map((template) => {
    const definitions = neededDefinitions(template);
    const own = names.get(template.uid) as TemplateNames;
    const inner = [...definitions.keys()].filter((name) => definitions.get(name) !== template.shape);
    const innerTypes = nameDefinitions(template.uid, inner, used);
    const types = new Map([...definitions.keys()].map((name) => [name, innerTypes.get(name) ?? own.values]));
    return { ...template, definitions, own, types };
  });
}

/** The definitions that a template needs, sorted by name. */
function neededDefinitions({ shape, definitions }: TemplateShape): ReadonlyMap<string, Shape> {
  const needed = new Map<string, Shape>();
  const shapes = [shape];
  for (const each of shapes.flatMap(shapesIn)) visit(each);
  return new Map([...needed].sort(([a], [b]) => (a < b ? -1 : 1)));

  function visit(each: Shape): void {
    const definition = each.kind === "reference" ? definitions.get(each.name) : undefined;
    if (each.kind !== "reference" || definition === undefined || needed.has(each.name)) return;
    needed.set(each.name, definition);
    shapesIn(definition).forEach(visit);
  }
}

/** Declarations that work in zod 3 and zod 4, which name the type of such a schema differently. */
const helper: readonly Doc[] = [
  [
    comment("A schema whose value type is known; works with zod 3 and zod 4."),
    "type Schema<Values> = ReturnType<typeof z.custom<Values>>;",
  ],
  [
    comment("Declares the value type of a schema if zod cannot infer the type."),
    "function typed<Values>(schema: z.ZodType): Schema<Values> ",
    block(["return schema as unknown as Schema<Values>;"]),
  ],
];

/** The types of a template after those of its definitions, each next to its schema. */
function statementsOf(template: NamedTemplate, zod: boolean): readonly Doc[] {
  const { uid, shape, definitions, own, types } = template;
  const schemas = new Map(
    [...types].map(([definition, name]) => [definition, name === own.values ? own.schema : schemaName(name)]),
  );
  const names = { types, schemas };
  const inner = [...definitions].flatMap(([definition, defined]): Doc[] => {
    if (defined === shape) return [];
    const name = types.get(definition) ?? definition;
    const says = comment(`The definition ${code(definition)} of the template ${code(uid)}.`);
    const type = [says, declaration(name, defined, types)];
    return zod ? [type, lazySchema("const ", schemaName(name), name, zodText(defined, names))] : [type];
  });
  const says = saysOf(template);
  const isLazy = [...definitions.values()].includes(shape);
  if (!zod || isLazy) inner.push([comment(says), declaration(own.values, shape, types)]);
  if (!zod) return inner;

  const checks = comment(says.replace("Values of", "Checks the values of"));
  const schema = zodText(shape, names);
  if (isLazy) return [...inner, [checks, lazySchema("export const ", own.schema, own.values, schema)]];
  const input = expression([
    "z.input",
    group(["<", indent([softline, "typeof ", own.schema]), softline, ">"]),
  ]);
  return [
    ...inner,
    [checks, assigned(["export const ", own.schema], " =", schema), ";"],
    [comment(says), assigned(["export type ", own.values], " =", input), ";"],
  ];
}

/** Writes a schema that may refer to itself, because zod creates it only when it checks values. */
function lazySchema(declared: string, name: string, type: string, { doc }: Expression): Doc {
  const lazy = expression(["z.lazy(() => ", block([["return ", doc, ";"]]), ")"]);
  return [assigned([declared, name, ": Schema<", type, ">"], " =", call("typed", lazy)), ";"];
}

function declaration(name: string, shape: Shape, types: DefinitionNames): Doc {
  if (isInterface(shape)) return ["export interface ", name, " ", objectText(shape, types)];
  const type = expression(typeText(shape, types));
  return [assigned(["export type ", name], " =", type, isUnion(shape, types)), ";"];
}

function mapOf(named: readonly NamedTemplate[]): Doc {
  const lines = named.map(({ uid, own }): Doc => [memberName(uid), ": ", own.values, ";"]);
  const says = comment("The type of each template's values, by uid, for `new TemplatePdf<Templates>()`.");
  return [says, "export interface Templates ", block(lines)];
}

function constantOf({ uid, own }: NamedTemplate, zod: boolean): Doc {
  const typeArguments = group(["<", indent([softline, own.values, ",", line, quoted(uid)]), softline, ">"]);
  const plain = expression(["template", typeArguments, call("", term(quoted(uid))).doc]);
  const made = zod ? call("template", term(quoted(uid)), term(own.schema)) : plain;
  const says = comment(`The template ${code(uid)}: \`client.generate(${own.constant}, values)\`.`);
  return [says, assigned(["export const ", own.constant], " =", made), ";"];
}

/** The comment on the values of a template, with up to five sources. */
function saysOf({ uid, sources }: TemplateShape): string {
  const sorted = [...new Set(sources)].sort();
  const more = sorted.length - maxSources;
  const listed = sorted.slice(0, maxSources);
  if (more > 0) listed.push(more === 1 ? "1 more file" : `${more} more files`);
  const last = listed.pop();
  const from = listed.length === 0 ? last : `${listed.join(", ")} and ${last}`;
  return `Values of the template ${code(uid)}${last === undefined ? "" : `, as in ${from}`}.`;
}

function code(name: string): string {
  return `\`${name}\``;
}

function comment(sentence: string): Doc {
  return docComment(sentence.replace(/\s/g, " ")).map((text) => [text, hardline]);
}
