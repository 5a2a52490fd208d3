import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { consumer, installed, makeProject } from "./consumer.ts";
import { pdf, startPdfService } from "./pdf-service.ts";

const service = await startPdfService();
afterAll(() => service.close());

const isWindows = process.platform === "win32";

/** The command as npm has linked it. */
const command = join(consumer, "node_modules", ".bin", isWindows ? "template-pdf.cmd" : "template-pdf");

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  cwd: string,
  args: readonly string[],
  ours: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  return new Promise((resolve) => {
    const options = { cwd, env: environmentOfUsers(ours), shell: isWindows };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

describe("the command, as npm installs it", () => {
  const folder = makeProject("command", {
    "values.json": '{"total": "£1,000"}',
    "templates/invoice.json": '{"content": ["Total {{total}}"]}',
  });

  it("prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(await run(folder, ["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("generates a document", async () => {
    const env = { TEMPLATE_PDF_API_KEY: "key", TEMPLATE_PDF_BASE_URL: service.baseUrl };
    const ending = await run(folder, ["generate", "invoice", "--values", "values.json"], env);
    expect(ending).toEqual({ code: 0, stdout: `invoice.pdf: ${pdf.length} B\n`, stderr: "" });
    expect(readFileSync(join(folder, "invoice.pdf"), "latin1")).toBe(pdf);
  });

  it("emulates the service where pdfmake is installed, and else says what to install", async () => {
    const { code, stdout, stderr } = await run(folder, ["emulate", "templates", "--port", "0"]);
    expect(stderr).toMatch(/^template-pdf: [^\n]*npm install pdfmake[^\n]*\n$/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });

  it("says what is wrong with a command line", async () => {
    const { code, stderr } = await run(folder, ["generate"]);
    expect(stderr).toBe("template-pdf: Missing required argument 'uid'. See template-pdf generate --help.\n");
    expect(code).toBe(2);
  });
});
