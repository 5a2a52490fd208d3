import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { installed, makeProject, runNode } from "./consumer.ts";
import { pdf } from "./pdf-service.ts";

const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));

const samples = {
  "samples/invoice.json": JSON.stringify([
    { date: "1 May", total: 12.5, lines: [{ text: "a" }, { text: "b", note: null }] },
    { date: "2 May", total: "£12", lines: [], paid: { by: "card", last4: "1234" } },
    { date: "3 May", total: 1, lines: [], paid: { by: "transfer", iban: "GB1" } },
    { date: "3 May", total: 1, lines: [], paid: { by: "transfer", iban: "GB1" } },
    { date: "3 May", total: 1, lines: [], paid: { by: "card", last4: "1234" } },
  ]),
  "samples/credit-note.ndjson": '{"date":"1 May"}\n{"date":"2 May","reason":"broken"}\n',
  "samples/tree.schema.json": JSON.stringify({
    type: "object",
    properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
    required: ["name"],
    additionalProperties: false,
  }),
};

/** What a user writes beside the file that the command has written. */
const program = `
  import { TemplatePdf, ValuesError } from "template-pdf";
  import { creditNote, type InvoiceValues, invoice, type Templates, tree, type TreeValues } from "./pdf-templates.js";

  const options = { baseUrl: process.argv[2] ?? "", apiKey: "key", allowInsecureHttp: true };
  const typed = new TemplatePdf<Templates>(options);
  const pdfs = new TemplatePdf(options);

  const values: InvoiceValues = { date: "1 May", total: "£1", lines: [{ text: "a", note: undefined }] };
  const nested: TreeValues = { name: "a", children: [{ name: "b", children: [] }] };
  await typed.generate("invoice", values).bytes();
  await typed.generate("credit-note", { date: "1 May" }).bytes();
  await pdfs.generate(invoice, { ...values, paid: { by: "card", last4: "1" } }).bytes();
  await pdfs.generate(creditNote, { date: "1 May", reason: "late" }).bytes();
  await pdfs.generate(tree, nested).bytes();

  // @ts-expect-error no such uid
  const wrong = [() => typed.generate("credit_note", { date: "1 May" })];
  // @ts-expect-error a member is missing
  wrong.push(() => typed.generate("credit-note", {}));
  // @ts-expect-error no such member
  wrong.push(() => pdfs.generate(creditNote, { date: "1 May", reasons: "late" }));
  // @ts-expect-error that goes with a card
  wrong.push(() => pdfs.generate(invoice, { ...values, paid: { by: "transfer", last4: "1" } }));
  // @ts-expect-error a child is a tree
  wrong.push(() => pdfs.generate(tree, { name: "a", children: [{ title: "b" }] }));

  for (const generate of wrong.slice(2)) {
    await generate().bytes().catch((error: unknown) => {
      if (!ValuesError.is(error)) throw error;
      console.log(error.uid, error.issues.map(({ path }) => path.join(".")).join(" "));
    });
  }
`;

const compilerOptions = {
  module: "nodenext",
  target: "ES2022",
  lib: ["ES2022"],
  types: ["node"],
  declaration: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
};

describe("the file that the command writes from samples", { timeout: 120_000 }, () => {
  const projects = [
    { title: "types alone", zod: undefined },
    { title: "schemas of zod 4", zod: "zod" },
    { title: "schemas of zod 3", zod: "zod-3" },
  ].map((each) => ({ ...each, folder: each.title.replaceAll(" ", "-") }));
  let saidByCompiler: string;

  beforeAll(async () => {
    // One run of the compiler for all of them: most of it is about what they share.
    const together = makeProject("types-command", {
      "tsconfig.json": JSON.stringify({
        compilerOptions,
        include: projects.map(({ folder }) => `${folder}/*.ts`),
      }),
    });
    link(together, "@types/node", "@types/node");
    await Promise.all(
      projects.map(async ({ folder, zod }) => {
        const project = makeProject(`types-command/${folder}`, {
          "package.json": '{"type":"module"}',
          "program.ts": program,
          ...samples,
        });
        if (zod) link(project, "zod", zod);
        const flags = zod ? ["--zod"] : [];
        const printed = await runNode(
          project,
          join(installed, "dist/cli/main.js"),
          "types",
          "samples",
          ...flags,
        );
        expect(printed).toBe("pdf-templates.ts: 3 templates\n");
      }),
    );
    saidByCompiler = await runNode(together, join(packages, "typescript/bin/tsc"), "--pretty", "false").catch(
      (error: Error) => error.message,
    );
  }, 120_000);

  it.each(projects)(
    "with $title compiles with the program that uses it, and works",
    async ({ folder, zod }) => {
      expect(saidByCompiler).toBe("");

      const { baseUrl, requests } = await startService();
      const told = await runNode(makeProject(`types-command/${folder}`, {}), "program.js", baseUrl);
      // What the compiler refuses, a schema refuses, too, before anything is sent.
      expect(told).toBe(zod ? "credit-note \ninvoice paid.iban paid\ntree children.0.name children.0\n" : "");
      expect(requests.slice(0, 5)).toEqual([
        { date: "1 May", total: "£1", lines: [{ text: "a" }] },
        { date: "1 May" },
        { date: "1 May", total: "£1", lines: [{ text: "a" }], paid: { by: "card", last4: "1" } },
        { date: "1 May", reason: "late" },
        { name: "a", children: [{ name: "b", children: [] }] },
      ]);
      expect(requests).toHaveLength(zod ? 5 : 8);
    },
  );

  it("is what --check says of it", async () => {
    const project = makeProject("types-command/check", samples);
    const types = (...args: string[]) =>
      runNode(project, join(installed, "dist/cli/main.js"), "types", "samples", ...args);
    await expect(types("--check")).rejects.toThrow(
      "pdf-templates.ts is not there. Write it: npx template-pdf types samples",
    );
    await types();
    await types("--check");
    const path = join(project, "samples/credit-note.ndjson");
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("reason", "cause"));
    await expect(types("--check")).rejects.toThrow("pdf-templates.ts is not what the samples say now.");
  });
});

/** Gives a project a package of this repository, perhaps under another name. */
function link(project: string, name: string, from: string): void {
  const target = join(project, "node_modules", name);
  mkdirSync(join(target, ".."), { recursive: true });
  symlinkSync(join(packages, from), target, "junction");
}

/** Starts a service that answers everything with a document, and keeps the values it got. */
async function startService(): Promise<{ readonly baseUrl: string; readonly requests: readonly unknown[] }> {
  const requests: unknown[] = [];
  const server = createServer(async (request, response) => {
    requests.push(JSON.parse(await text(request)));
    response.setHeader("content-type", "application/pdf").end(pdf);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
