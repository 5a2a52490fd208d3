import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { nodeOf } from "../../scripts/runtimes.mjs";
import { filesIn } from "../support/blocks-of.ts";
import { complaintsAbout, javaScriptOf } from "../support/compile.ts";
import { type RunningProgram, runToEnd } from "../support/programs.ts";
import { pdfOf, withLength } from "../support/service.ts";
import { secrets, testContract } from "./hosts/contract.ts";
import { hosts, onWorkers, packagesOfHosts, pdf, snippets, startOn, write } from "./hosts/hosts.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { ScriptedService } from "./scripted-service.ts";

/** Tests the code of docs/guides/handler.md, with the handler on every server, and of docs/guides/recipes.md. */

const recipes = filesIn(readFileSync(new URL("../../docs/guides/recipes.md", import.meta.url), "utf8"));
const workspace = useWorkspace(...packagesOfHosts, "@types/nodemailer@8.0.2");
const document = pdfOf(2_000);
const service = await ScriptedService.start(withLength(document));
afterAll(() => service.close());
const env = { TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: secrets.key };

describe.each(hosts)("the handler on $title", (host) => {
  let running: RunningProgram;

  beforeAll(async () => {
    running = await startOn(host, workspace.folder, env);
  }, 300_000);
  afterAll(() => running.stop());

  testContract(host, () => ({ host: running, service }));
});

it("a Cloudflare Worker does not need flags if the handler's client is created from `env`", async () => {
  const option = "new TemplatePdf({ retry: false })";
  expect(pdf).toContain(option);
  const module = `import { client } from "./client";\n${pdf.replace(option, "client")}`;
  const host = { title: "Worker without flags", start: onWorkers([], module) };
  const running = await startOn(host, workspace.folder, env);
  onTestFinished(() => running.stop());
  const response = await fetch(`${running.origin}/api/pdf/api/v1/templates/document/generate-sync`, {
    method: "POST",
    headers: { authorization: "Bearer customer", "content-type": "application/json" },
    body: '{"total":"1"}',
  });
  expect(response.status).toBe(200);
  expect(service.requests.at(-1)?.headers.authorization).toBe(`API-Key ${secrets.key}`);
}, 300_000);

const session = `
  const users: Record<string, string | undefined> = { ada: "Ada" };
  export const userOf = async (request: Request) => users[request.headers.get("cookie") ?? ""];
`;
it("the code in docs/guides/handler.md and docs/guides/recipes.md compiles", { timeout: 300_000 }, () => {
  const folder = join(workspace.folder, "guides");
  // Only their own hosts can compile the excluded files.
  const ofHandler = [...snippets].filter(([file]) => !["bun.ts", "deno.ts", "client.ts"].includes(file));
  const files = [...ofHandler, ...recipes].filter(([file]) => /\.tsx?$/.test(file));
  write(folder, {
    "package.json": '{ "type": "module" }',
    "session.ts": session,
    "env.ts": "export const env: Record<string, string | undefined> = process.env;",
    "invoices.ts": `export declare function invoiceOf(
      number: string,
    ): Promise<{ owner: string; date: string; total: string } | undefined>;`,
    "app.module.ts": "export class AppModule {}",
    ...Object.fromEntries(files),
  });
  const aliases = {
    ...{ "@/lib/pdf": "pdf", "$lib/server/pdf": "pdf", "~/pdf.server": "pdf" },
    ...{ "$lib/server/pdfs": "src/lib/server/pdfs", "$env/dynamic/private": "env" },
  };
  const complaints = complaintsAbout(
    files.map(([file]) => join(folder, file)),
    {
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      experimentalDecorators: true,
      lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
      typeRoots: [join(workspace.folder, "node_modules/@types")],
      paths: Object.fromEntries(
        Object.entries(aliases).map(([alias, file]) => [alias, [join(folder, `${file}.ts`)]]),
      ),
    },
  );
  expect({ hasExamples: ofHandler.length > 10, recipeCount: recipes.size }).toEqual({
    hasExamples: true,
    recipeCount: 7,
  });
  expect(complaints).toEqual([]);
});

it("the handlers in docs/guides/handler.md reject unauthorized users", async () => {
  const folder = join(workspace.folder, "guide-run");
  const shown = (file: string) => javaScriptOf(snippets.get(file) ?? expect.fail(file));
  write(folder, {
    "package.json": '{ "type": "module" }',
    "session.js": javaScriptOf(session),
    "invoices.js": `
      const invoices = { 17: { owner: "ada", date: "20 November 2026", total: "£17" } };
      export const invoiceOf = async (number) => invoices[number];`,
    "pdf.js": shown("pdf.ts"),
    "owner.js": shown("owner.ts"),
    "calls.js": `
      import { handler as ownersOnly } from "./owner.js";
      import { handler } from "./pdf.js";
      const post = (cookie, values) =>
        new Request("http://localhost/api/pdf/api/v1/templates/invoice/generate-sync", {
          method: "POST",
          headers: { "content-type": "application/json", cookie },
          body: JSON.stringify(values),
        });
      const responses = {
        customer: await handler(post("ada", { date: "today", total: "£1" })),
        stranger: await handler(post("stranger", {})),
        otherUser: await ownersOnly(post("", { number: "17" }), "eve"),
        signedOut: await ownersOnly(post("", { number: "17" })),
        owner: await ownersOnly(post("", { number: "17" }), "ada"),
      };
      const statuses = Object.entries(responses).map(([caller, { status }]) => [caller, status]);
      console.log(JSON.stringify(Object.fromEntries(statuses)));`,
  });
  const { stdout, printed } = await runToEnd(nodeOf(22), ["calls.js"], { cwd: folder, env });
  const expected = { customer: 200, stranger: 403, otherUser: 403, signedOut: 401, owner: 200 };
  expect(JSON.parse(stdout || "{}"), printed).toEqual(expected);
  expect(JSON.parse(service.requests.at(-1)?.body ?? "")).toEqual({ date: "20 November 2026", total: "£17" });
});

it("the nightly job in docs/guides/recipes.md reads the API key from a file and saves a PDF", async () => {
  const folder = join(workspace.folder, "nightly");
  const code = recipes.get("nightly.mjs") ?? expect.fail("no nightly.mjs");
  write(folder, { "nightly.mjs": code, "pdf-api-key": "key-of-the-file\n" });
  const settings = { ...env, PDF_KEY_FILE: join(folder, "pdf-api-key") };
  const { stdout, printed } = await runToEnd(nodeOf(22), ["nightly.mjs"], { cwd: folder, env: settings });
  const [, path = ""] = /path: '.*\b(reports\/\d{4}-\d\d-\d\d\.pdf)',?\s+bytes: 2000\b/.exec(stdout) ?? [];
  expect(path, printed).not.toBe("");
  expect(readFileSync(join(folder, path)).equals(document)).toBe(true);
  expect(service.requests.at(-1)?.headers.authorization).toBe("API-Key key-of-the-file");
});
