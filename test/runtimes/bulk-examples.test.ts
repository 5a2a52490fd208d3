import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { blocksOf, filesIn } from "../support/blocks-of.ts";
import { javaScriptOf } from "../support/compile.ts";
import { eventually } from "../support/eventually.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type Program, start } from "../support/programs.ts";
import { type Answer, heldBack, inTurn, Service, saying } from "../support/service.ts";
import { ObjectStore } from "./bulk-examples/object-store.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** Tests examples/bulk and docs/guides/bulk.md with the packed package and the AWS SDK. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const guide = read("docs/guides/bulk.md");
const workspace = useWorkspace("@aws-sdk/client-s3@^3.1169.0", "@aws-sdk/lib-storage@^3.1169.0");
const file = (name: string) => join(workspace.folder, name);

beforeAll(() => {
  cpSync(join(repository, "examples/bulk"), file("example"), { recursive: true });
  cpSync(join(repository, "test/runtimes/bulk-examples/store-run.mjs"), file("store-run.mjs"));
  const sink = filesIn(guide).get("s3-sink.ts") ?? expect.fail("the guide has no sink");
  writeFileSync(file("guide-sink.mjs"), javaScriptOf(sink));
});

/** Copies the examples into a separate folder, with rows for the nightly run. */
function newFolder(name: string, rows?: string): string {
  const folder = file(`example/${name}`);
  mkdirSync(folder);
  cpSync(join(repository, "examples/bulk"), folder, { recursive: true });
  if (rows) writeFileSync(join(folder, "rows.ndjson"), rows);
  return folder;
}

function startIn(cwd: string, [command = "", ...args]: string[], settings: Record<string, string>): Program {
  const PATH = `${file("node_modules/.bin")}${delimiter}${process.env["PATH"]}`;
  const program = start(command, args, { cwd, env: { PATH, ...settings } });
  onTestFinished(() => program.stop());
  return program;
}

const documentsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".pdf"));
const invoices = ["2026-0117.pdf", "2026-0118.pdf", "2026-0119.pdf"];

/** Starts an emulator with the templates of the examples. */
async function startInvoices(): Promise<Record<string, string>> {
  const emulator = await startEmulator({ templates: join(repository, "examples/templates") });
  onTestFinished(() => emulator.close());
  return { TEMPLATE_PDF_BASE_URL: emulator.baseUrl, TEMPLATE_PDF_API_KEY: emulator.apiKey };
}

/** A document whose first piece is larger than a part of an upload (5 MiB). */
const pieces = [Buffer.alloc(6 << 20, "%PDF-1.4\n"), Buffer.alloc(6 << 20, "x"), Buffer.from("\n%%EOF\n")];
const document = Buffer.concat(pieces);
const whole = saying(200, document, { "content-type": "application/pdf" });

describe.each([
  ["examples/bulk/s3-sink.mjs", "example/s3-sink.mjs", "s3Sink"],
  ["the sink in docs/guides/bulk.md", "guide-sink.mjs", "s3"],
])("%s", (_title, sinkFile, sinkName) => {
  it("uploads a document as it arrives, and discards a truncated document", async () => {
    const store = await ObjectStore.start();
    const truncated: Answer = async ({ response }) => {
      response.writeHead(200).write(pieces[0]);
      await eventually(() => [...store.open.values()].some(({ size }) => size > 0));
      response.destroy();
    };
    const { baseUrl } = await Service.start(inTurn(truncated, whole));
    const args = ["store-run.mjs", store.origin, baseUrl, `./${sinkFile}`, sinkName];
    const { stdout, printed } = await startIn(workspace.folder, [process.execPath, ...args], {}).ended;
    expect(stdout, printed).toBe('{"fulfilled":1,"rejected":0}\n');
    expect(store.objects.get("/invoices/invoice-0.pdf")?.equals(document)).toBe(true);
    const { begunUploads, objects, unknown, open } = store;
    expect({ begunUploads, objectCount: objects.size, unknown, open: [...open] }).toEqual({
      begunUploads: 2,
      objectCount: 1,
      unknown: [],
      open: [],
    });
  });
});

it("examples/bulk/s3-run.mjs uploads each row's invoice once, even if the script runs twice", async () => {
  const store = await ObjectStore.start();
  const settings = {
    ...(await startInvoices()),
    AWS_ENDPOINT_URL: store.origin,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  const folder = newFolder("s3");
  for (const counts of ["3 generated, 0", "0 generated, 3"]) {
    const summary = `${counts} generated earlier, 0 failed`;
    const words = [process.execPath, "s3-run.mjs", "rows.ndjson", "my-bucket"];
    const { exitCode, printed } = await startIn(folder, words, settings).ended;
    expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: expect.stringContaining(`${summary}\n`) });
  }
  expect([...store.objects.keys()].sort()).toEqual(invoices.map((name) => `/my-bucket/${name}`));
  const { text } = await readPdf(store.objects.get("/my-bucket/2026-0117.pdf") ?? expect.fail());
  expect(text).toContain("Εκδόσεις Αθηνά");
  expect(store.unknown).toEqual([]);
});

describe("examples/bulk/nightly-run.mjs", () => {
  const runIn = (folder: string, settings: Record<string, string>, ...args: string[]) =>
    startIn(folder, [process.execPath, "nightly-run.mjs", ...args], settings);

  it("finishes its in-flight jobs after SIGTERM, and completes the rest in the next run", async () => {
    const count = 60;
    const rows = Array.from({ length: count }, (_, n) => JSON.stringify({ number: n }));
    const folder = newFolder("nightly-signal", rows.join("\n"));
    const { answer, release } = heldBack(whole);
    const service = await Service.start(answer);
    const settings = { TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: "key" };
    const { child, ended } = runIn(folder, settings);
    await service.request(2);
    child.kill("SIGTERM");
    release();
    const first = await ended;
    expect(first).toMatchObject({ exitCode: 3, printed: expect.stringContaining("`drain` was aborted") });
    const generated = Number(/^(\d+) generated, 0 generated earlier, 0 failed/m.exec(first.printed)?.[1]);
    expect(documentsIn(join(folder, "out"))).toHaveLength(generated);
    expect(generated).toBeGreaterThanOrEqual(3);
    const second = await runIn(folder, settings).ended;
    expect(second.exitCode).toBe(0);
    expect(second.printed).toContain(
      `${count - generated} generated, ${generated} generated earlier, 0 failed`,
    );
    expect(service.requests).toHaveLength(count);
  });
});

it("the commands in the README and docs/guides/bulk.md generate the described documents", async () => {
  const typed = [...blocksOf(guide, "sh"), ...blocksOf(read("README.md"), "sh")];
  const lines = typed.flatMap((block) => block.trim().split("\n")).filter((line) => line.includes(" bulk "));
  const nightly = / && (.*)\n/.exec(blocksOf(guide, "crontab")[0] ?? "")?.[1] ?? "";
  expect(lines).toHaveLength(3);
  const service = await startInvoices();
  const folder = newFolder("typed");
  const printed: string[] = [];
  for (const line of [...lines, nightly]) {
    const ending = await startIn(folder, ["sh", "-c", line.replace(/^npx /, "")], service).ended;
    expect(ending, line).toMatchObject({ exitCode: 0 });
    printed.push(ending.printed);
  }
  expect(printed[0]).toContain("3 rows are valid");
  expect(printed[1]).toContain("3 documents made");
  expect(printed[2]).toContain("3 made earlier");
  expect(documentsIn(join(folder, "out"))).toEqual(invoices);
  expect(JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))).toHaveLength(3);
  const { text } = await readPdf(readFileSync(join(folder, "out/2026-0118.pdf")));
  expect(text).toContain("Łoś; Brönte & Partners");
});
