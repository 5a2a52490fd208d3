import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { inOneOrder, mistakes, prelude } from "../../types/mistakes.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const file = fileURLToPath(new URL("../../types/program.ts", import.meta.url));

const definitions = `${prelude}
const named = template<Invoice, "inv">("inv");
const changing = template("inv", z.object({ date: z.coerce.date<string>(), currency: z.string().default("GBP") }));
`;
let [text, version] = ["", 0];

const { fileExists, readFile, directoryExists, getDirectories } = ts.sys;
const { config } = ts.readConfigFile(`${root}tsconfig.json`, readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root);
/** The language service, from which an editor requests messages, completions and types. */
const service = ts.createLanguageService({
  ...{ fileExists, readFile, directoryExists, getDirectories },
  getScriptFileNames: () => [file],
  getScriptVersion: (path) => (path === file ? String(version) : "1"),
  getScriptSnapshot: (path) => {
    const content = path === file ? text : readFile(path);
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
  },
  getCurrentDirectory: () => root,
  getCompilationSettings: () => ({ ...options, noUnusedLocals: false }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
});

/** Opens a program, and returns the position of the cursor, which it contains as a bar. */
function open(program: string): number {
  const at = program.indexOf("|");
  text = definitions + (at < 0 ? program : program.slice(0, at) + program.slice(at + 1));
  version += 1;
  return definitions.length + at;
}

/** Returns the completions at the cursor, sorted. */
function completionsOf(program: string): string[] {
  const found = service.getCompletionsAtPosition(file, open(program), {});
  return (found?.entries ?? []).map(({ name }) => name).sort();
}

/** Returns the type information for the name after the cursor. */
function hover(program: string): string {
  return ts.displayPartsToString(service.getQuickInfoAtPosition(file, open(program))?.displayParts);
}

/** Returns the messages for each line of a program, as lines. */
function complaintsOf(lines: readonly string[]): string[][] {
  open(lines.join("\n"));
  const messages: string[][] = lines.map(() => []);
  for (const { start = 0, messageText } of [
    ...service.getSyntacticDiagnostics(file),
    ...service.getSemanticDiagnostics(file),
  ]) {
    const at = text.slice(definitions.length, start).split("\n").length - 1;
    const message = ts.flattenDiagnosticMessageText(messageText, "\n").split("\n");
    messages[at]?.push(...message.map((line) => line.trim()));
  }
  return messages;
}

const zodObject = (z = "", core = "") => `ZodObject<{ name: ${z}ZodString; }, ${core}$strip>`;

describe("an editor", { timeout: 60_000 }, () => {
  it.each<[string, string, readonly string[]]>([
    ["the uids of a template map in an unfinished call", 'typed.generate("|")', ["cert", "inv"]],
    ["the uids of a template map in `Values`", 'declare const a: Values<"|", Templates>;', ["cert", "inv"]],
    ["the fields of a list item", 'typed.generate("inv", { date: "", lines: [{ | }] })', ["price", "text"]],
    ["the fields of a typed template's values", "client.generate(plain, { | })", ["date", "lines"]],
    ["the fields of a zod 4 schema", 'client.generate(zod, { date: "", lines: [{ | }] })', ["price", "text"]],
    ["the fields of a zod 4 mini schema", "client.generate(zodMini, { | })", ["date", "lines"]],
    ["the fields of a zod 3.25 schema", "client.generate(zod3, { | })", ["date", "lines"]],
    ["the fields of a valibot schema", "client.generate(valibot, { | })", ["date", "lines"]],
    ["the fields of an arktype schema", "client.generate(arktype, { | })", ["date", "lines"]],
    [
      "the options of a call",
      "client.generate(zod, values, { | })",
      ["headers", "maxBytes", "onProgress", "retry", "signal", "timeouts", "verify"],
    ],
  ])("suggests %s", (_, program, names) => {
    expect(completionsOf(program)).toEqual(names);
  });

  it.each<[string, string, string]>([
    [
      "`generate` on a client with a template map",
      'typed.|generate("inv", { date: "" })',
      '(method) TemplatePdf<Templates>.generate<"inv">(uid: "inv", values: Invoice, options?: CallOptions): PendingPdf',
    ],
    ["a template with a type and a uid", "|named", 'const named: Template<Unchecked<Invoice>, "inv">'],
    ["a template with a schema", "|cert", `const cert: Template<z.${zodObject("z.", "z.core.")}, "cert">`],
    [
      "`Values` for a template whose schema has a transform",
      "type |Given = Values<typeof changing>;",
      "type Given = { date: string; currency?: string | undefined; }",
    ],
    ["`Values` for a typed template", "type |Given = Values<typeof plain>;", "type Given = Invoice"],
    ["`Values` for a mapped uid", 'type |Given = Values<"inv", Templates>;', "type Given = Invoice"],
  ])("shows the type of %s", (_, program, shown) => {
    expect(hover(program).replaceAll(/\s+/g, " ")).toBe(shown);
  });
});

describe("the compiler's message", { timeout: 60_000 }, () => {
  let said: string[][] | undefined;

  it.each(mistakes.map(([code, ...message], at) => [code, at, message] as const))(
    "is readable for the mistake %s",
    (_, at, message) => {
      said ??= complaintsOf(mistakes.map(([code]) => code));
      expect(said[at]?.map(inOneOrder)).toEqual(message.map(inOneOrder));
    },
  );
});
