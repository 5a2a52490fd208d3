import {
  type InferInput,
  type InferOutput,
  type StandardSchemaV1,
  type Template,
  TemplatePdf,
  template,
  type Values,
} from "template-pdf";
import { expectTypeOf } from "vitest";
import * as z from "zod";

const pdfs = new TemplatePdf();
const typed = new TemplatePdf<{ other: { a: string } }>();

// `generate` takes the input of a zod schema, and sends its output.
const schema = z.object({
  date: z.coerce.date<string>(),
  currency: z.string().default("GBP"),
  total: z.number().transform(String),
});
const invoice = template("inv_2024", schema);
expectTypeOf(invoice).toEqualTypeOf<Template<typeof schema, "inv_2024">>();
type Input = { date: string; total: number; currency?: string | undefined };
expectTypeOf<InferInput<typeof schema>>().toEqualTypeOf<Input>();
expectTypeOf<InferOutput<typeof schema>>().toEqualTypeOf<{ date: Date; total: string; currency: string }>();
pdfs.generate(invoice, { date: "2026-11-20", total: 2, currency: "EUR" }, { verify: false });
typed.generate(invoice, { date: "2026-11-20", total: 2 });
// @ts-expect-error: the values are the schema's input, not its output
pdfs.generate(invoice, { date: new Date(), total: "2" });
// Schemas of other libraries.
declare const other: StandardSchemaV1<{ a: string }, { b: number }>;
pdfs.generate(template("t", other), { a: "" });

// Without a schema, a template can have a type.
pdfs.generate(template("t"), { anything: 1 });
interface Certificate {
  name: string;
}
pdfs.generate(template<Certificate>("t"), { name: "Ada" });

// A template has the type of its uid, if the compiler knows it, and every template is a `Template`.
expectTypeOf(template("t").uid).toEqualTypeOf<"t">();
expectTypeOf(template<Certificate>("t").uid).toEqualTypeOf<string>();
const all: readonly Template[] = [invoice, template<Certificate>("t"), template("t")];
void all;
// @ts-expect-error: the uid is different
template<Certificate, "t">("u");
// @ts-expect-error: a template cannot be changed
invoice.uid = "other";

// `Values` is the type that `generate` takes: for a template the input of its schema.
expectTypeOf<Values<typeof invoice>>().toEqualTypeOf<InferInput<typeof schema>>();
const bare = template<Certificate>("t");
expectTypeOf<Values<typeof bare>>().toEqualTypeOf<Certificate>();
expectTypeOf<Values<"inv", { inv: Certificate }>>().toEqualTypeOf<Certificate>();
expectTypeOf<Values<"inv">>().toEqualTypeOf<object>();

// Functions of users can take the same parameters as `generate`.
type Templates = { inv: Certificate; cert: { title: string } };
declare const mapped: TemplatePdf<Templates>;
export function render<U extends keyof Templates & string>(uid: U, values: Values<U, Templates>): unknown {
  return mapped.generate(uid, values);
}
// A client with a map is assignable to a client without one.
const loose: TemplatePdf = mapped;
void loose;
