import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmulator } from "../../../src/emulator/index.ts";
import { eventually } from "../../support/eventually.ts";
import { readPdf } from "../../support/pdf-text.ts";
import { makeTemporaryFolder } from "../../support/temporary-folder.ts";
import { type Browser, launch } from "../browsers.ts";
import { openPage } from "../bundlers/open-page.ts";
import { runAlone } from "../bundlers/run-alone.ts";
import { type RunningProgram, startProgram } from "../start-program.ts";
import { packagesOfGuide } from "./guide-tests.ts";
import { packagesOfHosts } from "./hosts.ts";

const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));

/** What the example projects need beside what the hosts and the guide need, as `npm install` takes it. */
export const packagesOfExamples = ["esbuild@0.28.2", "typescript@6.0.3", "@types/react@19.3.0"];

interface Starting {
  readonly folder: string;
  readonly packages: string;
  readonly env: Readonly<Record<string, string>>;
}

/** By `npm start`, as a reader does it; Next.js is built before that. */
const projects = [
  {
    name: "express",
    start: ({ folder, env }: Starting) =>
      startProgram("npm", ["start"], {
        cwd: folder,
        env: { ...env, PORT: "0" },
        ready: /^http:\/\/127\.0\.0\.1:(\d+)\/$/m,
      }),
  },
  {
    name: "next",
    async start({ folder, packages, env }: Starting) {
      const next = join(packages, "node_modules/next/dist/bin/next");
      const { printed, exitCode } = await runAlone(folder, [next, "build"], env);
      if (exitCode !== 0 || /⚠|⨯/.test(printed)) throw new Error(printed);
      return startProgram("npm", ["start", "--", "--port", "0", "--hostname", "127.0.0.1"], {
        cwd: folder,
        env,
        ready: /Local: +http:\/\/[^:]+:(\d+)[\s\S]*Ready in/,
      });
    },
  },
] as const;

/** Makes the tests of examples/express and examples/next, with the packed package, against the emulator. */
export function testExampleProjects(given: () => { packages: string }): void {
  let emulator: Awaited<ReturnType<typeof startEmulator>>;
  let chromium: Browser;
  const downloads = makeTemporaryFolder("downloads");

  beforeAll(async () => {
    emulator = await startEmulator({ templates: join(examples, "templates") });
    chromium = await launch("chromium", { downloads: downloads.path });
  }, 60_000);

  afterAll(async () => {
    await chromium?.close();
    await emulator?.close();
    downloads.remove();
  }, 60_000);

  describe.each(projects)("examples/$name", ({ name, start }) => {
    let running: RunningProgram;

    beforeAll(async () => {
      const folder = join(given().packages, `example-${name}`);
      cpSync(join(examples, name), folder, {
        recursive: true,
        filter: (path) =>
          !/[\\/](?:node_modules|\.next|page\.js)$/.test(path) || path.endsWith(`${name}/page.js`),
      });
      const env = {
        TEMPLATE_PDF_BASE_URL: emulator.baseUrl,
        TEMPLATE_PDF_API_KEY: emulator.apiKey,
        SESSION_SECRET: "only-for-this-test",
        NEXT_TELEMETRY_DISABLED: "1",
      };
      running = await start({ folder, packages: given().packages, env });
    }, 180_000);

    afterAll(() => running?.stop());

    const ask = (cookie?: string) =>
      fetch(`${running.origin}/api/pdf/api/v1/templates/invoice/generate-sync`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(cookie ? { cookie } : {}) },
        body: JSON.stringify({ number: "2026-0117", total: "£0.01" }),
      });

    it("is tried with versions that its package.json allows", () => {
      const { dependencies, devDependencies } = JSON.parse(
        readFileSync(join(examples, name, "package.json"), "utf8"),
      );
      const { "template-pdf": _ours, ...needed } = { ...dependencies, ...devDependencies };
      const tried = [...packagesOfHosts, ...packagesOfGuide, ...packagesOfExamples].map((spec) => {
        const at = spec.lastIndexOf("@");
        return [spec.slice(0, at), spec.slice(at + 1)] as const;
      });
      const major = (version: string) => version.replace(/^\^?(\d+)\..*/, "$1");
      for (const [needs, range] of Object.entries<string>(needed)) {
        expect([needs, major(new Map(tried).get(needs) ?? "none")]).toEqual([needs, major(range)]);
      }
    });

    it("makes a document for who has opened the page, with what the server sets, and for nobody else", async () => {
      expect((await ask()).status).toBe(401);
      expect((await ask("session=made-up")).status).toBe(401);
      const [cookie = ""] = (await fetch(running.origin)).headers.getSetCookie();
      expect(cookie).toMatch(/^session=[^;]+;.*HttpOnly/i);
      const made = await ask(cookie.replace(/;.*/, ""));
      expect([made.status, made.headers.get("content-type")]).toEqual([200, "application/pdf"]);
      const { text } = await readPdf(new Uint8Array(await made.arrayBuffer()));
      expect(text).toContain("£640.00");
      expect(text).not.toContain("£0.01");
    });

    it("saves a document at the press of its button", async () => {
      const { page, complaints } = await openPage(chromium, running.origin);
      await page.click("button");
      await page.waitForFunction(`document.querySelector("output").textContent === "The invoice is saved."`);
      const saved = "Invoice 2026-0117.pdf";
      await eventually(() => readdirSync(downloads.path).includes(saved));
      const { text } = await readPdf(readFileSync(join(downloads.path, saved)));
      expect(text).toContain("2026-0117");
      expect(complaints).toEqual([]);
      await page.close();
      rmSync(join(downloads.path, saved));
    });
  });
}
