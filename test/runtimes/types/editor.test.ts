import { describe, expect, it } from "vitest";
import { inOneOrder, mistakes, prelude } from "../../types/mistakes.ts";
import { Editor } from "./language-service.ts";

const editor = new Editor(`${prelude}
const named = template<Invoice, "inv">("inv");
const bare = template("inv");
const changing = template("inv", z.object({ date: z.coerce.date<string>(), currency: z.string().default("GBP") }));
const long = template("inv", z.object({ ${Array.from({ length: 40 }, (_, at) => `field${at}: z.string()`).join(", ")} }));
`);

const zodObject = (z = "", core = "") => `ZodObject<{ name: ${z}ZodString; }, ${core}$strip>`;

describe("an editor", { timeout: 60_000 }, () => {
  it.each<[string, string]>([
    ["in an unfinished call", 'typed.generate("|")'],
    ["in a call", 'typed.generate("|", { date: "" })'],
    ["of the values of a map", 'declare const values: Values<"|", Templates>;'],
  ])("completes the uids of a map %s", (_, program) => {
    expect(editor.completions(program)).toEqual(["cert", "inv"]);
  });

  it.each<[string, string, readonly string[]]>([
    ["a map", 'typed.generate("inv", { | })', ["date", "lines"]],
    ["a nested object of a map", 'typed.generate("inv", { date: "", lines: [{ | }] })', ["price", "text"]],
    ["a template with its type", "client.generate(plain, { | })", ["date", "lines"]],
    ["a template of a client with a map", "typed.generate(plain, { | })", ["date", "lines"]],
    ["zod 4", "client.generate(zod, { | })", ["date", "lines"]],
    ["a nested object of zod 4", 'client.generate(zod, { date: "", lines: [{ | }] })', ["price", "text"]],
    ["zod 4 mini", "client.generate(zodMini, { | })", ["date", "lines"]],
    ["zod 3.25", "client.generate(zod3, { | })", ["date", "lines"]],
    ["valibot", "client.generate(valibot, { | })", ["date", "lines"]],
    ["arktype", "client.generate(arktype, { | })", ["date", "lines"]],
  ])("completes the fields of %s", (_, program, names) => {
    expect(editor.completions(program)).toEqual(names);
  });

  it("completes the options of a call and the methods of a pending result", () => {
    expect(editor.completions("client.generate(zod, values, { | })").join(" ")).toBe(
      "headers maxBytes onProgress retry signal timeouts verify",
    );
    expect(editor.completions('typed.generate("inv", { date: "" }).|')).toContain("saveTo");
  });

  it.each<[string, string, string]>([
    [
      "generate, of a map",
      'typed.|generate("inv", { date: "" })',
      '(method) TemplatePdf<Templates>.generate<"inv">(uid: "inv", values: Invoice, options?: CallOptions): PendingPdf',
    ],
    ["a client", "|typed", "const typed: TemplatePdf<Templates>"],
    ["a template with its type and uid", "|named", 'const named: Template<Unchecked<Invoice>, "inv">'],
    ["a template of any values", "|bare", 'const bare: Template<Unchecked<Record<string, unknown>>, "inv">'],
    ["a template with a schema", "|cert", `const cert: Template<z.${zodObject("z.", "z.core.")}, "cert">`],
    ["the uid of a template", "cert.|uid", `(property) Template<${zodObject()}, "cert">.uid: "cert"`],
    ["Values of a schema", "type |Given = Values<typeof cert>;", "type Given = { name: string; }"],
    [
      "Values of a schema that changes them",
      "type |Given = Values<typeof changing>;",
      "type Given = { date: string; currency?: string | undefined; }",
    ],
    ["Values of a type", "type |Given = Values<typeof plain>;", "type Given = Invoice"],
    ["Values of a map", 'type |Given = Values<"inv", Templates>;', "type Given = Invoice"],
  ])("shows %s", (_, program, shown) => {
    expect(editor.hover(program).replaceAll(/\s+/g, " ")).toBe(shown);
  });

  it.each(["|long", "client.|generate(long, {})"])("shows a few of forty fields: %s", (program) => {
    expect(editor.hover(program).split("\n").length).toBeLessThan(40);
  });
});

describe("the compiler's message", { timeout: 60_000 }, () => {
  let said: string[][] | undefined;

  it.each(mistakes.map(([code, ...message], at) => [code, at, message] as const))(
    "for %s is readable",
    (_, at, message) => {
      said ??= editor.complaints(mistakes.map(([code]) => code));
      expect(said[at]?.map(inOneOrder)).toEqual(message.map(inOneOrder));
    },
  );
});
