import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { complaintsAbout, javaScriptOf } from "../support/compile.ts";
import { eventually } from "../support/eventually.ts";
import { type RunningProgram, runToEnd } from "../support/programs.ts";
import { pdfOf, withLength } from "../support/service.ts";
import { secrets, testContract } from "./hosts/contract.ts";
import {
  type Host,
  hosts,
  onNode,
  onWorkers,
  packagesOfHosts,
  pdf,
  snippets,
  startOn,
  tableCode,
  write,
} from "./hosts/hosts.ts";
import { nodeOf } from "./installed.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { ScriptedService } from "./scripted-service.ts";

/** Tests the handler on every server of docs/guides/handler.md with the code of the guide. */

const workspace = useWorkspace(...packagesOfHosts);
const service = await ScriptedService.start(withLength(pdfOf(2_000)));
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

describe("the handler on a host with another configuration", () => {
  async function start(
    title: string,
    how: Host["start"],
    settings: Record<string, string> = env,
  ): Promise<RunningProgram> {
    const running = await startOn({ title, start: how }, workspace.folder, settings);
    onTestFinished(() => running.stop());
    return running;
  }

  const ask = ({ origin }: RunningProgram, mount = "/api/pdf") =>
    fetch(`${origin}${mount}/api/v1/templates/document/generate-sync`, {
      method: "POST",
      headers: { authorization: "Bearer customer", "content-type": "application/json" },
      body: '{"total":"1"}',
    });

  it("serves at the root of Express", async () => {
    const running = await start("Express at its root", onNode("express.ts", replacing('"/api/pdf", ', "")));
    expect((await ask(running, "")).status).toBe(200);
  });

  it.each([
    ["Express", "express.ts", replacing("const app = express();", "$&\napp.use(express.json());")],
    ["Fastify", "fastify.ts", replacing(/^ *scope\.(?:removeAll|add)ContentTypeParser.*\n/gm, "")],
  ])("responds with 500 and logs the reason if %s has read the body", async (name, file, change) => {
    const running = await start(`${name} that reads bodies`, onNode(file, change));
    const response = await ask(running);
    expect(response.status).toBe(500);
    const advice = "Mount the endpoint before body parsers such as express.json()";
    // The log arrives through a separate pipe.
    await eventually(() => running.printed.includes(advice));
    expect(await response.text()).not.toContain("body parsers");
  });

  it("serves an invoice only to its owner, with the session of express-session", async () => {
    const mount =
      tableCode("### Restrict documents to their owner").get("Express") ?? expect.fail("no row Express");
    const server = `
      import express from "express";
      import session from "express-session";
      import { nodeListener } from "template-pdf/handler/node";
      import { handler } from "./owner.js";
      const app = express();
      app.use(session({ secret: "for tests", resave: false, saveUninitialized: false }));
      app.get("/login/:user", (request, response) => {
        request.session.userId = request.params.user;
        response.end();
      });
      ${mount};
      app.listen(0);`;
    const owner = snippets.get("owner.ts") ?? expect.fail("no owner.ts");
    const running = await start("Express with sessions", (starting) => {
      write(starting.folder, { "owner.js": javaScriptOf(owner) });
      return onNode("express.ts", () => server)(starting);
    });
    const askAs = async (user: string | undefined) => {
      const login = user && (await fetch(`${running.origin}/login/${user}`));
      const cookie = (login && login.headers.get("set-cookie")?.split(";")[0]) ?? "";
      return fetch(`${running.origin}/api/pdf/api/v1/templates/invoice/generate-sync`, {
        method: "POST",
        headers: { cookie, "content-type": "application/json" },
        body: '{"number":"17"}',
      });
    };
    const before = service.requests.length;
    const responses = [await askAs("ada"), await askAs("eve"), await askAs(undefined)];
    expect(responses.map(({ status }) => status)).toEqual([200, 403, 401]);
    const sent = service.requests.slice(before).map(({ body }) => JSON.parse(body));
    expect(sent).toEqual([{ date: "20 November 2026", total: "£17" }]);
  });

  it("logs advice if Express calls the handler directly", async () => {
    const direct = replacing("nodeListener(handler)", "handler");
    const running = await start("Express without the listener", onNode("express.ts", direct));
    expect((await ask(running)).status).toBe(500);
    const advice = "For Express and node:http, pass nodeListener(handler) of template-pdf/handler/node.";
    await eventually(() => running.printed.includes(advice));
  });

  it("serves in a Worker without flags, with a client created from `env`", async () => {
    const module = `import { client } from "./client";\n${replacing("new TemplatePdf({ retry: false })", "client")(pdf)}`;
    const running = await start("Worker without flags", onWorkers([], module));
    expect((await ask(running)).status).toBe(200);
    expect(service.requests.at(-1)?.headers.authorization).toBe(`API-Key ${secrets.key}`);
  });
});

/** Replaces a part of code, and fails if the part is missing. */
function replacing(part: string | RegExp, by: string) {
  return (code: string): string => {
    const changed = code.replace(part, by);
    if (changed === code) throw new Error(`There is no ${part} in:\n${code}`);
    return changed;
  };
}

describe("docs/guides/handler.md", () => {
  const session = `
    const users: Record<string, string | undefined> = { ada: "Ada" };
    export const userOf = async (request: Request) => users[request.headers.get("cookie") ?? ""];
  `;
  const page = `
    import { TemplatePdf } from "template-pdf";
    import type { Documents } from "./pdf.js";
    const pdfs = new TemplatePdf<Documents>({ baseUrl: "/api/pdf" });
    // @ts-expect-error there is no such name
    void pdfs.generate("invoise", { date: "", total: "" });
    // @ts-expect-error a property is missing
    void pdfs.generate("invoice", { date: "" });
  `;

  it("contains code that compiles", { timeout: 300_000 }, () => {
    const folder = join(workspace.folder, "guide");
    // Only their own hosts can compile these.
    const files = [...snippets].filter(([file]) => !["bun.ts", "deno.ts", "client.ts"].includes(file));
    write(folder, {
      "package.json": '{ "type": "module" }',
      "session.ts": session,
      "mistakes.ts": page,
      "invoices.ts": `export declare function invoiceOf(
        number: string,
      ): Promise<{ owner: string; date: string; total: string } | undefined>;`,
      "app.module.ts": "export class AppModule {}",
      ...Object.fromEntries(files),
    });
    const names = [...files.map(([file]) => file), "mistakes.ts"];
    const aliases = ["@/lib/pdf", "$lib/server/pdf", "~/pdf.server"];
    const complaints = complaintsAbout(
      names.map((file) => join(folder, file)),
      {
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
        typeRoots: [join(workspace.folder, "node_modules/@types")],
        paths: Object.fromEntries(aliases.map((alias) => [alias, [join(folder, "pdf.ts")]])),
      },
    );
    expect(names.length).toBeGreaterThan(10);
    expect(complaints).toEqual([]);
  });

  it("contains functions for SvelteKit and React Router that serve documents", async () => {
    const folder = join(workspace.folder, "guide-run");
    const files = {
      "sveltekit.js": "src/routes/api/pdf/[...path]/+server.ts",
      "react-router.js": "app/routes/api.pdf.$.ts",
      "pdf.js": "pdf.ts",
    };
    const code = Object.entries(files).map(([to, from]) => {
      const shown = snippets.get(from) ?? expect.fail(from);
      return [to, javaScriptOf(shown.replace(/"(?:\$lib\/server\/pdf|~\/pdf\.server)"/, '"./pdf.js"'))];
    });
    write(folder, {
      "package.json": '{ "type": "module" }',
      "session.js": javaScriptOf(session),
      "calls.js": readFileSync(new URL("hosts/guide-calls.mjs", import.meta.url), "utf8"),
      ...Object.fromEntries(code),
    });
    const { stdout, printed } = await runToEnd(nodeOf(22), ["calls.js"], { cwd: folder, env });
    expect(JSON.parse(stdout || "{}"), printed).toEqual({
      "pdf.ts": 200,
      "pdf.ts, a stranger": 403,
      sveltekit: 200,
      "sveltekit, GET": 405,
      "react-router": 200,
      "react-router, GET": 405,
    });
  });
});
