import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { expect, it } from "vitest";
import { nodeOf } from "../installed.ts";
import { filesOfGuide, guide, javaScript, snippet } from "./guide.ts";
import { write } from "./hosts.ts";
import { secrets, type Upstream } from "./upstream.ts";

/** What the guide's files import beside what the hosts need, as `npm install` takes it. */
export const packagesOfGuide = [
  "@sveltejs/kit@3.2.0",
  "react-router@8.5.1",
  "@types/express@5.0.6",
  "@types/node@20.19.43",
];

/** What only its own host can compile: the host runs it. */
const onlyOfHosts = ["bun.ts", "deno.ts", "client.ts"];

const session = `
interface User { readonly name: string; readonly isManager: boolean }
const users: Record<string, User | undefined> = { ada: { name: "Ada", isManager: false } };
export async function userOf(request: Request): Promise<User | undefined> {
  return users[request.headers.get("cookie") ?? ""];
}
export async function userOfToken(token: string): Promise<User | undefined> {
  return users[token];
}
`;

/** A page's mistakes, which its compiler is to find. */
const mistakes = `
import { TemplatePdf } from "template-pdf";
import type { Documents } from "./pdf.js";

const pdfs = new TemplatePdf<Documents>({ baseUrl: "/api/pdf" });
// @ts-expect-error there is no such name
void pdfs.generate("invoise", { date: "", total: "" });
// @ts-expect-error a member is missing
void pdfs.generate("invoice", { date: "" });
`;

/** Calls what the guide shows, and prints what came of it. */
const calls = `
import { createHandler } from "template-pdf/handler";
import { TemplatePdf } from "template-pdf";
import { createStaticHandler } from "react-router";
import { byCookie, byToken } from "./authorize.js";
import { onError } from "./log.js";
import { handler, templates } from "./pdf.js";
import { action, loader } from "./react-router.js";
import { fallback } from "./sveltekit.js";
import { values } from "./values.js";

const client = new TemplatePdf();
const make = (headers, name = "invoice", init = {}) =>
  new Request("http://localhost/api/pdf/api/v1/templates/" + name + "/generate-sync", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: '{"date":"today","total":"£1"}',
    ...init,
  });
const router = createStaticHandler([{ id: "pdf", path: "/api/pdf/*", action, loader }]);
const ada = { cookie: "ada" };
const get = () => make(ada, "invoice", { method: "GET", body: undefined });

const answers = {
  "pdf.ts": await handler(make(ada)),
  "pdf.ts, a stranger": await handler(make({})),
  sveltekit: await fallback({ request: make(ada) }),
  "sveltekit, GET": await fallback({ request: get() }),
  "react-router": await router.queryRoute(make(ada)),
  "react-router, GET": await router.queryRoute(get()),
  "byCookie, a stranger": await createHandler({ client, templates, authorize: byCookie })(make({})),
  "byCookie, a payslip": await createHandler({ client, templates: { payslip: templates.invoice }, authorize: byCookie })(make(ada, "payslip")),
  "byToken": await createHandler({ client, templates, authorize: byToken, values })(make({ ...ada, authorization: "Bearer ada" })),
  "byToken, a stranger": await createHandler({ client, templates, authorize: byToken })(make({ authorization: "Bearer eve" })),
  "log.ts": await createHandler({ client, templates, authorize: () => { throw new Error("for the log"); }, onError })(make(ada)),
};
const told = Object.entries(answers).map(async ([name, answer]) => [name, answer.status, (await answer.arrayBuffer()).byteLength > 0]);
console.log(JSON.stringify(await Promise.all(told)));
`;

/** Makes the tests of what docs/guides/handler.md says that no host runs. */
export function testGuide(given: () => { packages: string; upstream: Upstream }): void {
  it("compiles, and so do pages that make no mistake", () => {
    const folder = join(given().packages, "guide");
    const files = filesOfGuide.filter((file) => !onlyOfHosts.includes(file));
    write(folder, {
      "package.json": '{ "type": "module" }',
      "session.ts": session,
      "mistakes.ts": mistakes,
      ...Object.fromEntries(files.map((file) => [file, snippet(file)])),
    });
    const program = ts.createProgram(
      [...files, "mistakes.ts"].map((file) => join(folder, file)),
      {
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: true,
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
        types: ["node"],
        typeRoots: [join(given().packages, "node_modules/@types")],
        paths: Object.fromEntries(
          ["@/lib/pdf", "$lib/server/pdf", "~/pdf.server"].map((alias) => [alias, [join(folder, "pdf.ts")]]),
        ),
      },
    );
    expect(files.length).toBeGreaterThan(10);
    expect(
      ts
        .getPreEmitDiagnostics(program)
        .map(({ file, messageText }) => [file?.fileName, ts.flattenDiagnosticMessageText(messageText, "\n")]),
    ).toEqual([]);
  });

  it("shows functions that do what it says", async () => {
    const { packages, upstream } = given();
    const folder = join(packages, "guide-run");
    const routes = {
      "sveltekit.js": "src/routes/api/pdf/[...path]/+server.ts",
      "react-router.js": "app/routes/api.pdf.$.ts",
      "pdf.js": "pdf.ts",
      "authorize.js": "authorize.ts",
      "values.js": "values.ts",
      "log.js": "log.ts",
    };
    const code = Object.entries(routes).map(([to, from]) => {
      const run = snippet(from).replace(/"(?:\$lib\/server\/pdf|~\/pdf\.server)"/, '"./pdf.js"');
      return [to, javaScript(run)];
    });
    write(folder, {
      "package.json": '{ "type": "module" }',
      "session.js": javaScript(session),
      "calls.js": calls,
      ...Object.fromEntries(code),
    });
    const env = { TEMPLATE_PDF_BASE_URL: upstream.origin, TEMPLATE_PDF_API_KEY: secrets.key };
    const options = { cwd: folder, env };
    const { stdout, stderr } = await promisify(execFile)(nodeOf(22), ["calls.js"], options);
    expect(JSON.parse(stdout)).toEqual([
      ["pdf.ts", 200, true],
      ["pdf.ts, a stranger", 403, true],
      ["sveltekit", 200, true],
      ["sveltekit, GET", 405, true],
      ["react-router", 200, true],
      ["react-router, GET", 405, true],
      ["byCookie, a stranger", 401, true],
      ["byCookie, a payslip", 403, true],
      ["byToken", 200, true],
      ["byToken, a stranger", 403, true],
      ["log.ts", 500, true],
    ]);
    expect(stderr).toMatch(/^[\da-f-]{36} Error: for the log\n/);
  });

  it("tells every option and every status, with the defaults that the source tells", () => {
    const options = source("options.ts").split("export interface HandlerOptions")[1]?.split("\n}\n")[0] ?? "";
    const inSource = [
      ...options.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?: {2}\/\/.*\n)? {2}(\w+)(\??):/g),
    ].map(([, text = "", name, optional]) => [
      name,
      optional ? /Default: (`[^`]*`|[\d,]+)?/.exec(text)?.[1] : "required",
    ]);
    const inGuide = rowsBelow("## Options").map(([name = "", standard = ""]) => [
      name.replaceAll("`", ""),
      /^(?:`[^`]*`|[\d,]+|required)$/.exec(standard)?.[0],
    ]);
    expect(inGuide.length).toBeGreaterThan(5);
    expect(inGuide).toEqual(inSource);

    const statuses = [...source("create-handler.ts").matchAll(/^ \* \| (\d.*) \|$/gm)].map(([, row]) => row);
    expect(rowsBelow("## Answers").map((cells) => cells.join(" | "))).toEqual(statuses);
  });
}

const source = (file: string) =>
  readFileSync(new URL(`../../../src/handler/${file}`, import.meta.url), "utf8");

/** The cells of the table below a heading, without its own head. */
function rowsBelow(heading: string): string[][] {
  const [, section = ""] = guide.split(`${heading}\n`);
  const [table = ""] = section.slice(section.indexOf("| --- |")).split("\n\n");
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.slice(2, -2).split(" | "));
}
