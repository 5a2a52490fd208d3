import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { fakeService } from "../../src/testing/fake-service.ts";
import { faults } from "../../src/testing/faults.ts";
import { filesIn } from "../support/blocks-of.ts";
import { complaintsAbout, javaScriptOf } from "../support/compile.ts";
import { startProgram } from "../support/programs.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** Runs the Express server of docs/guides/streaming.md. */

const guide = readFileSync(fileURLToPath(new URL("../../docs/guides/streaming.md", import.meta.url)), "utf8");
const snippet = filesIn(guide).get("express.ts") ?? "none";
const workspace = useWorkspace(
  ...["express@5.3.0", "express-5@npm:express@5.3.0", "express-4@npm:express@4.22.3"],
  ...["@types/express@5", "@types/node@22"],
);

/** Starts the server of the guide on a free port. */
async function start(express: string, change = (code: string) => code) {
  const service = fakeService({ templates: ["invoice"] });
  const listening = await service.listen();
  onTestFinished(() => listening.close());
  const listen = "const server = app.listen(0, () => console.log(server.address().port));";
  const code = change(snippet)
    .replace('from "express"', `from "${express}"`)
    .replace("app.listen(3000);", listen);
  writeFileSync(join(workspace.folder, "server.mjs"), javaScriptOf(code));
  const running = await startProgram(process.execPath, ["server.mjs"], {
    cwd: workspace.folder,
    env: { TEMPLATE_PDF_BASE_URL: listening.baseUrl, TEMPLATE_PDF_API_KEY: service.apiKey },
    ready: /^(\d+)$/m,
  });
  onTestFinished(() => running.stop());
  return { service, origin: running.origin };
}

it("the server in docs/guides/streaming.md compiles in strict mode", () => {
  const file = join(workspace.folder, "express.ts");
  writeFileSync(join(workspace.folder, "package.json"), '{ "type": "module" }');
  writeFileSync(file, snippet);
  expect(complaintsAbout([file], { lib: ["lib.es2023.d.ts", "lib.dom.d.ts"] })).toEqual([]);
});

it.each(["express-4", "express-5"])(
  "the server in docs/guides/streaming.md streams a PDF on %s",
  async (express) => {
    const { origin } = await start(express);
    const response = await fetch(`${origin}/invoice.pdf`);
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(await response.text()).toMatch(/^%PDF-.*%%EOF\n$/s);
  },
);

const withoutHandler = (code: string) => code.replace(/^app\.use\(.*$/m, "");
it.each([
  ["the error's status if the error handler is removed", withoutHandler, 401],
  ["a 502 if the error handler is present", (code: string) => code, 502],
])("the server in docs/guides/streaming.md responds to a failure with %s", async (_, change, status) => {
  const { service, origin } = await start("express-5", change);
  service.fail(faults.unauthorized());
  expect((await fetch(`${origin}/invoice.pdf`)).status).toBe(status);
});
