/** Mistakes of callers with the compiler's messages, which were checked to be readable. */

/** The code before every mistake. */
export const prelude = `
import { type } from "arktype";
import { TemplatePdf, template, type Values } from "template-pdf";
import * as v from "valibot";
import * as z from "zod";
import * as mini from "zod/mini";
import * as z3 from "zod-3";

interface Line { text: string; price: number }
interface Invoice { date: string; lines?: Line[] }
interface Templates { inv: Invoice; cert: { name: string } }

const client = new TemplatePdf();
const typed = new TemplatePdf<Templates>();
const plain = template<Invoice>("inv");
const zod = template("inv", z.object({ date: z.string(), lines: z.array(z.object({ text: z.string(), price: z.number() })) }));
const zodMini = template("inv", mini.object({ date: mini.string(), lines: mini.array(mini.object({ text: mini.string(), price: mini.number() })) }));
const zod3 = template("inv", z3.object({ date: z3.string(), lines: z3.array(z3.object({ text: z3.string(), price: z3.number() })) }));
const valibot = template("inv", v.object({ date: v.string(), lines: v.array(v.object({ text: v.string(), price: v.number() })) }));
const arktype = template("inv", type({ date: "string", lines: type({ text: "string", price: "number" }).array() }));
const cert = template("cert", z.object({ name: z.string() }));
declare const certificate: { name: string };
declare const missing: undefined;
`;

/** A mistake on one line, and the lines of the compiler's message. */
export type Mistake = readonly [code: string, ...message: string[]];

const uids = `'"inv" | "cert" | AnyTemplate'`;
const fields = "{ date: string; lines: { text: string; price: number; }[]; }";
const isNot = (given: string, wanted: string) =>
  `Argument of type '${given}' is not assignable to parameter of type ${wanted}.`;
const noNumber = "Type 'number' is not assignable to type 'string'.";
const unknownIn = (name: string, type: string) =>
  `Object literal may only specify known properties, and '${name}' does not exist in type '${type}'.`;
const missingDate = "Property 'date' is missing in type '{}' but required in type 'Invoice'.";

const ofMaps: readonly Mistake[] = [
  [`typed.generate("inv", {});`, isNot("{}", "'Invoice'"), missingDate],
  [`typed.generate("inv", { date: "", total: "" });`, unknownIn("total", "Invoice")],
  [`typed.generate("inv", { date: 7 });`, noNumber],
  [`typed.generate("invoice", { date: "" });`, isNot('"invoice"', uids)],
  [`typed.generate("cert", { date: "" });`, unknownIn("date", "{ name: string; }")],
  [`typed.generate("inv");`, "Expected 2-3 arguments, but got 1."],
  [
    `export type Wrong = Values<"invoice", Templates>;`,
    `Type '"invoice"' does not satisfy the constraint ${uids}.`,
  ],
  [
    `new TemplatePdf<{ inv: string }>();`,
    "Type '{ inv: string; }' does not satisfy the constraint '{ inv: object; }'.",
    "Types of property 'inv' are incompatible.",
    "Type 'string' is not assignable to type 'object'.",
  ],
];

const ofTemplates: readonly Mistake[] = [
  [`client.generate(plain, {});`, isNot("{}", "'Invoice'"), missingDate],
  [
    `client.generate(zod, certificate);`,
    isNot("{ name: string; }", `'${fields}'`),
    `Type '{ name: string; }' is missing the following properties from type '${fields}': date, lines`,
  ],
  [`template("inv", missing);`, isNot("undefined", "'StandardSchemaV1<unknown, unknown>'")],
  [`template("inv", { type: "object" });`, unknownIn("type", "StandardSchemaV1<unknown, unknown>")],
  [`template<string>("inv");`, "Type 'string' does not satisfy the constraint 'object'."],
];

const ofSchemas = ["zod", "zodMini", "zod3", "valibot", "arktype"].flatMap((name): Mistake[] => [
  [
    `client.generate(${name}, { date: "" });`,
    isNot("{ date: string; }", `'${fields}'`),
    `Property 'lines' is missing in type '{ date: string; }' but required in type '${fields}'.`,
  ],
  [`client.generate(${name}, { date: "", lines: [], total: "" });`, unknownIn("total", fields)],
  [`client.generate(${name}, { date: 7, lines: [] });`, noNumber],
  [
    `client.generate(${name}, { date: "", lines: [{ text: "", price: "" }] });`,
    "Type 'string' is not assignable to type 'number'.",
  ],
]);

export const mistakes: readonly Mistake[] = [...ofMaps, ...ofTemplates, ...ofSchemas];

/** Sorts the union types in a message, because their order varies between compilers. */
export function inOneOrder(message: string): string {
  return message.replaceAll(
    /'([^']+ \| [^']+)'/g,
    (_, types: string) => `'${types.split(" | ").sort().join(" | ")}'`,
  );
}
