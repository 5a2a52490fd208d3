import {
  brokenGroup,
  firstToFit,
  group,
  hardLine,
  indent,
  join,
  type Layout,
  line,
  print,
  softLine,
} from "./layout.ts";
import { NameCollision, nameDefinitions, nameTemplates, schemaName, type TemplateNames } from "./names.ts";
import type { Shape, TemplateShape } from "./shape.ts";
import { neededDefinitions } from "./shapes-in.ts";
import { docComment, memberName, quoted } from "./source-text.ts";
import { type DefinitionNames, isInterface, isUnion, objectText, typeText } from "./type-text.ts";
import {
  assigned,
  call,
  type Expression,
  expression,
  identifier,
  text,
  usesTyped,
  type ZodNames,
  zodText,
} from "./zod-text.ts";

export { NameCollision };

/** The first line of every file that is written, by which it is known. */
export const signature = "// Written by `template-pdf types`: run that again instead of editing this file.";

/** How many sources are named in a comment. */
const maxSources = 5;

/** How the file is written. */
export interface WriteOptions {
  /** Whether it holds zod schemas, which check values at run time, too. */
  readonly zod: boolean;
}

/** What is written of one template. */
interface Parts {
  readonly declarations: readonly Layout[];
  readonly constant: Layout;
}

/**
 * Writes the TypeScript file with the types of templates, as Prettier would leave it.
 *
 * @throws {NameCollision} when two templates would have one name
 */
export function writeTypes(templates: readonly TemplateShape[], { zod }: WriteOptions): string {
  const sorted = [...templates]
    .sort((a, b) => (a.uid < b.uid ? -1 : 1))
    .map((template) => ({ ...template, definitions: neededDefinitions(template) }));
  const names = nameTemplates(
    sorted.map(({ uid }) => uid),
    zod,
  );
  const used = new Set(["Schema", "Templates", "ReturnType"]);
  for (const { constant, schema, values } of names.values()) used.add(constant).add(schema).add(values);
  const named = sorted.map((template) => ({ template, own: names.get(template.uid) as TemplateNames }));
  const parts = named.map(({ template, own }) => {
    const names = [...template.definitions.keys()];
    const inner = names.filter((name) => !isWhole(name, template));
    const types = nameDefinitions(template.uid, inner, used);
    for (const name of names) if (isWhole(name, template)) types.set(name, own.values);
    return zod ? zodParts(template, own, types) : typeParts(template, own, types);
  });
  const statements = [
    ...(sorted.length > 0 ? [imports(zod)] : []),
    ...(zod && sorted.some(needsHelper) ? helper : []),
    ...parts.flatMap(({ declarations }) => declarations),
    mapOf(named),
    ...parts.map(({ constant }) => constant),
  ];
  return `${print([signature, hardLine, hardLine, join([hardLine, hardLine], statements)])}\n`;
}

/** Whether a definition is of the values themselves, and has their name. */
function isWhole(definition: string, { shape, definitions }: TemplateShape): boolean {
  return definitions.get(definition) === shape;
}

function imports(zod: boolean): Layout {
  const client = 'import { template } from "template-pdf";';
  return zod ? [client, hardLine, 'import * as z from "zod";'] : client;
}

function needsHelper({ shape, definitions }: TemplateShape): boolean {
  return definitions.size > 0 || usesTyped(shape);
}

/** Zod 3 and zod 4 name the type of such a schema in different ways, and both give it here. */
const helper: readonly Layout[] = [
  [
    comment("A schema whose values are known, in zod 3 as in zod 4."),
    "type Schema<Values> = ReturnType<typeof z.custom<Values>>;",
  ],
  [
    comment("Says what the values of a schema are, where zod cannot infer it."),
    "function typed<Values>(schema: z.ZodType): Schema<Values> {",
    indent(hardLine, "return schema as unknown as Schema<Values>;"),
    hardLine,
    "}",
  ],
];

/** The definitions that have a type of their own. */
function innerDefinitions(
  template: TemplateShape,
  types: DefinitionNames,
): readonly { readonly name: string; readonly defined: Shape; readonly says: Layout }[] {
  return [...types]
    .filter(([definition]) => !isWhole(definition, template))
    .map(([definition, name]) => ({
      name,
      defined: template.definitions.get(definition) ?? { kind: "unknown" },
      says: comment(`What the template ${code(template.uid)} calls ${code(definition)}.`),
    }));
}

function typeParts(template: TemplateShape, own: TemplateNames, types: DefinitionNames): Parts {
  const { uid, shape, sources } = template;
  const declarations = [
    ...innerDefinitions(template, types).map(({ name, defined, says }) => [
      says,
      declaration(name, defined, types),
    ]),
    [comment(`Values of the template ${code(uid)}${from(sources)}.`), declaration(own.values, shape, types)],
  ];
  const typeArguments = group("<", indent(softLine, own.values, ",", line, quoted(uid)), softLine, ">");
  const made = call("", text(uid)).layout;
  const constant = expression(["template", typeArguments, made]);
  return {
    declarations,
    constant: constantOf(uid, own, assigned(["export const ", own.constant], " =", constant)),
  };
}

function zodParts(template: TemplateShape, own: TemplateNames, types: DefinitionNames): Parts {
  const { uid, shape, sources, definitions } = template;
  const schemaOf = (definition: string, name: string) =>
    isWhole(definition, template) ? own.schema : schemaName(name);
  const schemas = new Map(
    [...types].map(([definition, name]) => [definition, schemaOf(definition, name)] as const),
  );
  const names: ZodNames = { types, schemas };
  const declarations: Layout[] = innerDefinitions(template, types).flatMap(({ name, defined, says }) => [
    [says, declaration(name, defined, types)],
    lazySchema(["const ", schemaName(name)], name, zodText(defined, names)),
  ]);
  const checks = comment(`Checks the values of the template ${code(uid)}${from(sources)}.`);
  const values = comment(`Values of the template ${code(uid)}${from(sources)}.`);
  const schema = ["export const ", own.schema];
  if ([...definitions.keys()].some((definition) => isWhole(definition, template))) {
    declarations.push(
      [values, declaration(own.values, shape, types)],
      [checks, lazySchema(schema, own.values, zodText(shape, names))],
    );
  } else {
    const alias = expression(["z.input", group("<", indent(softLine, "typeof ", own.schema), softLine, ">")]);
    declarations.push(
      [checks, assigned(schema, " =", zodText(shape, names)), ";"],
      [values, assigned(["export type ", own.values], " =", alias), ";"],
    );
  }
  const made = call("template", text(uid), identifier(own.schema));
  return {
    declarations,
    constant: constantOf(uid, own, assigned(["export const ", own.constant], " =", made)),
  };
}

/** Writes a schema that may refer to itself, since it is asked for only when values are checked. */
function lazySchema(start: Layout, type: string, { layout }: Expression): Layout {
  return [assigned([start, ": Schema<", type, ">"], " =", lazy(layout)), ";"];
}

function lazy(schema: Layout): ReturnType<typeof call> {
  const body = ["() => {", indent(hardLine, "return ", schema, ";"), hardLine, "}"];
  const hugged = [
    "z.lazy",
    firstToFit(["(", brokenGroup(body), ")"], brokenGroup("(", indent(line, body), ",", line, ")")),
  ];
  return call("typed", expression(hugged));
}

function declaration(name: string, shape: Shape, types: DefinitionNames): Layout {
  if (isInterface(shape)) return ["export interface ", name, " ", objectText(shape, types)];
  const type = expression(typeText(shape, types));
  return [assigned(["export type ", name], " =", type, isUnion(shape, types)), ";"];
}

function mapOf(named: readonly { readonly template: TemplateShape; readonly own: TemplateNames }[]): Layout {
  const lines = named.map(({ template: { uid }, own }) => [memberName(uid), ": ", own.values, ";"]);
  const head = "export interface Templates ";
  const body = lines.length > 0 ? ["{", indent(hardLine, join(hardLine, lines)), hardLine, "}"] : "{}";
  return [comment("The values of each template by its uid, for `new TemplatePdf<Templates>()`."), head, body];
}

function constantOf(uid: string, { constant }: TemplateNames, statement: Layout): Layout {
  return [comment(`The template ${code(uid)}: \`client.generate(${constant}, values)\`.`), statement, ";"];
}

/** Names up to five sources. */
function from(sources: readonly string[]): string {
  const sorted = [...new Set(sources)].sort();
  const more = sorted.length - maxSources;
  const listed = sorted.slice(0, maxSources);
  if (more > 0) listed.push(more === 1 ? "1 more file" : `${more} more files`);
  const last = listed.pop();
  if (last === undefined) return "";
  return listed.length === 0 ? `, as in ${last}` : `, as in ${listed.join(", ")} and ${last}`;
}

function code(name: string): string {
  return `\`${name}\``;
}

function comment(sentence: string): Layout {
  return docComment(sentence.replace(/\s/g, " ")).map((text) => [text, hardLine]);
}
