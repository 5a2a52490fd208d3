import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FakeService, fakeService } from "../../src/testing/fake-service.ts";
import { faults } from "../../src/testing/faults.ts";
import { filesIn } from "../support/blocks-of.ts";
import { javaScriptOf } from "../support/compile.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** What docs/guides/streaming.md says of Express, on Express: its snippet, and its traps. */

const guide = readFileSync(fileURLToPath(new URL("../../docs/guides/streaming.md", import.meta.url)), "utf8");
const snippet = filesIn(guide).get("express.ts") ?? "none";
const [, handler = "none"] = /`(app\.use\(\(_error.*?)` \|/.exec(guide) ?? [];
const workspace = useWorkspace("express-5@npm:express@5.3.0", "express-4@npm:express@4.22.3");

/** The guide's server, on a port of its own. */
async function start(express: string, change = (code: string) => code) {
  const service: FakeService = fakeService({ templates: ["invoice"] });
  const listening = await service.listen();
  onTestFinished(() => listening.close());
  const told = "const server = app.listen(0, () => console.log(server.address().port));";
  const code = change(snippet)
    .replace('from "express"', `from "${express}"`)
    .replace("app.listen(3000);", told);
  writeFileSync(join(workspace.folder, "server.mjs"), javaScriptOf(code));
  const running: RunningProgram = await startProgram(process.execPath, ["server.mjs"], {
    cwd: workspace.folder,
    env: { TEMPLATE_PDF_BASE_URL: listening.baseUrl, TEMPLATE_PDF_API_KEY: service.apiKey },
    ready: /^(\d+)$/m,
  });
  onTestFinished(() => running.stop());
  return { service, origin: running.origin };
}

describe.each(["express-4", "express-5"])("the snippet of the guide on %s", (express) => {
  it.each(["invoice.pdf", "small.pdf"])("serves %s as the PDF it is", async (name) => {
    const { origin } = await start(express);
    const answer = await fetch(`${origin}/${name}`);
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    expect(await answer.text()).toMatch(/^%PDF-.*%%EOF\n$/s);
  });
});

it.each([
  ["by the status of the service", (code: string) => code, 401],
  ["by the guide's handler", (code: string) => code.replace("app.listen", `${handler};\napp.listen`), 502],
])("a failure goes to the error handler of Express 5, which answers %s", async (_by, change, status) => {
  const { service, origin } = await start("express-5", change);
  service.fail(faults.unauthorized());
  expect((await fetch(`${origin}/invoice.pdf`)).status).toBe(status);
});
