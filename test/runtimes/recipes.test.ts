import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesIn } from "../support/blocks-of.ts";
import { complaintsAbout } from "../support/compile.ts";
import { runToEnd } from "../support/programs.ts";
import { pdfOf, withLength } from "../support/service.ts";
import { nodeOf } from "./installed.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { ScriptedService } from "./scripted-service.ts";

/** Tests the files of docs/guides/recipes.md with the packages that they import. */

const guide = readFileSync(fileURLToPath(new URL("../../docs/guides/recipes.md", import.meta.url)), "utf8");
const shown = filesIn(guide);
const pdf = pdfOf(20_000);
const workspace = useWorkspace(
  ...["@nestjs/common@12.5.1", "@nestjs/core@12.5.1", "@nestjs/platform-express@12.5.1"],
  ...["reflect-metadata", "rxjs", "nodemailer@10.6.0", "@sveltejs/kit@3.2.0"],
  ...["@types/node@20.19.43", "@types/nodemailer@8.0.2"],
);
const folder = join(workspace.folder, "recipes");
const service = await ScriptedService.start(withLength(pdf));
afterAll(() => service.close());
const env = {
  TEMPLATE_PDF_BASE_URL: service.baseUrl,
  TEMPLATE_PDF_API_KEY: "k3yk3y",
  TEMPLATE_PDF_TESTS: "1",
};

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  experimentalDecorators: true,
};

/** The module aliases of SvelteKit. */
const aliases = { "$lib/server/pdfs": "src/lib/server/pdfs", "$env/dynamic/private": "env" };

/** Runs JavaScript in the folder of the compiled recipes. */
async function runInFolder(code: string, more: Readonly<Record<string, string>> = {}) {
  const file = join(folder, `main-${crypto.randomUUID()}.mjs`);
  writeFileSync(file, code);
  return runToEnd(nodeOf(22), [file], { cwd: folder, env: { ...env, ...more } });
}

beforeAll(() => {
  for (const [path, code] of [
    ...shown,
    ["env.ts", "export const env: Record<string, string | undefined> = process.env;"] as const,
    ["package.json", '{ "type": "module" }'] as const,
  ]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
    if (!/\.tsx?$/.test(path)) continue;
    const compiled = ts.transpileModule(code, { compilerOptions });
    const out = Object.entries(aliases).reduce(
      (text, [alias, file]) =>
        text.replace(JSON.stringify(alias), JSON.stringify(join(folder, `${file}.js`))),
      compiled.outputText,
    );
    writeFileSync(join(folder, path.replace(/tsx?$/, "js")), out);
  }
});

describe("docs/guides/recipes.md", () => {
  it("contains files that compile", { timeout: 300_000 }, () => {
    expect([...shown.keys()]).toHaveLength(6);
    const mapped = Object.fromEntries(
      Object.entries(aliases).map(([alias, file]) => [alias, [join(folder, `${file}.ts`)]]),
    );
    const complaints = complaintsAbout(
      [...shown.keys()].filter((file) => /\.tsx?$/.test(file)).map((file) => join(folder, file)),
      {
        ...compilerOptions,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
        typeRoots: [join(workspace.folder, "node_modules/@types")],
        paths: mapped,
      },
    );
    expect(complaints).toEqual([]);
  });

  it("streams a document from a controller of NestJS, and closes the client with the application", async () => {
    const { stdout, printed } = await runInFolder(`
      import "reflect-metadata";
      import { NestFactory } from "@nestjs/core";
      import { TemplatePdf } from "template-pdf";
      import { PdfModule } from "./pdf.module.js";
      const app = await NestFactory.create(PdfModule, { logger: ["error"] });
      await app.listen(0, "127.0.0.1");
      const response = await fetch((await app.getUrl()) + "/invoices/17");
      const { byteLength } = await response.arrayBuffer();
      const pdfs = app.get(TemplatePdf);
      await app.close();
      const closed = await pdfs.generate("invoice", {}).bytes().catch((error) => error.code);
      console.log(JSON.stringify([response.status, response.headers.get("content-type"), byteLength, closed]));
    `);
    expect(JSON.parse(stdout || "[]"), printed).toEqual([
      200,
      "application/pdf",
      pdf.length,
      "invalid_configuration",
    ]);
    expect(JSON.parse(service.requests.at(-1)?.body ?? "")).toEqual({ number: "17" });
  });

  it("streams a document from an endpoint of SvelteKit", async () => {
    const { stdout, printed } = await runInFolder(`
      import { GET } from "./src/routes/invoices/[number]/+server.js";
      const response = await GET({ params: { number: "18" }, request: new Request("http://localhost/") });
      console.log(JSON.stringify([response.status, (await response.arrayBuffer()).byteLength]));
    `);
    expect(JSON.parse(stdout || "[]"), printed).toEqual([200, pdf.length]);
    expect(JSON.parse(service.requests.at(-1)?.body ?? "")).toEqual({ number: "18" });
  });

  it("reads the key of a nightly job from a file, and saves its document in a new folder", async () => {
    const keyFile = join(folder, "pdf-api-key");
    writeFileSync(keyFile, "key-of-the-file\n");
    const { stdout, printed } = await runInFolder(`import "./nightly.mjs";`, { PDF_KEY_FILE: keyFile });
    const [, path = ""] = /path: '.*\b(reports\/\d{4}-\d\d-\d\d\.pdf)',?\s+bytes: 20000\b/.exec(stdout) ?? [];
    expect(path, printed).not.toBe("");
    expect(readFileSync(join(folder, path)).equals(pdf)).toBe(true);
    expect(service.requests.at(-1)?.headers.authorization).toBe("API-Key key-of-the-file");
  });

  it("prints the error if the key of a nightly job cannot be read", async () => {
    const { printed, exitCode } = await runInFolder(`import "./nightly.mjs";`, {
      PDF_KEY_FILE: "no-such-file",
    });
    expect(exitCode).toBe(1);
    expect(printed).toMatch(/^The `apiKey` function failed with Error \(ENOENT\)/);
  });

  it("sends an e-mail with the document attached", async () => {
    const smtp = `
      import { createServer } from "node:net";
      let received = "";
      const server = createServer((socket) => {
        let isData = false;
        socket.write("220 ready\\r\\n");
        socket.on("data", (chunk) => {
          if (isData) {
            received += chunk;
            if (!received.endsWith("\\r\\n.\\r\\n")) return;
            isData = false;
            return socket.write("250 sent\\r\\n");
          }
          for (const line of String(chunk).split("\\r\\n").filter(Boolean)) {
            isData = line === "DATA";
            socket.write(isData ? "354 go on\\r\\n" : line === "QUIT" ? "221 bye\\r\\n" : "250 ok\\r\\n");
          }
        });
      }).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      process.env.SMTP_URL = "smtp://127.0.0.1:" + server.address().port + "?ignoreTLS=true";
      const { sendInvoice } = await import("./send-invoice.js");
      await sendInvoice("zoe@example.com", "19");
      const encoded = received.split("\\r\\n\\r\\n").find((part) => part.startsWith("JVBER"));
      const attached = Buffer.from(encoded.split("--")[0], "base64");
      console.log(JSON.stringify([attached.length, /filename=invoice-19.pdf/.test(received)]));
      process.exit();
    `;
    const { stdout, printed } = await runInFolder(smtp);
    expect(JSON.parse(stdout || "[]"), printed).toEqual([pdf.length, true]);
  });
});
