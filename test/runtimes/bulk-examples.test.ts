import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { blocksOf, filesIn } from "../support/blocks-of.ts";
import { javaScriptOf } from "../support/compile.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type Program, start } from "../support/programs.ts";
import { type Answer, saying } from "../support/service.ts";
import { ObjectStore } from "./bulk-examples/object-store.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { ScriptedService } from "./scripted-service.ts";

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

/** Sends the first piece, and continues when a whole part has arrived at the store. */
const inParts =
  (store: ObjectStore, continues: Answer): Answer =>
  async (received) => {
    received.response.writeHead(200).write(pieces[0]);
    await store.partsArrived(1);
    continues(received);
  };

async function startService(...answers: Answer[]): Promise<string> {
  const service = await ScriptedService.start(whole);
  onTestFinished(() => service.close());
  service.answer(...answers);
  return service.baseUrl;
}

describe.each([
  ["examples/bulk/s3-sink.mjs", "example/s3-sink.mjs", "s3Sink"],
  ["the sink of docs/guides/bulk.md", "guide-sink.mjs", "s3"],
])("%s", (_title, sinkFile, sinkName) => {
  const made = { fulfilled: 1, skipped: 0, rejected: 0, failures: [] };
  const wholeObject = (store: ObjectStore) => {
    expect(store.objects.get("/invoices/invoice-0.pdf")?.equals(document)).toBe(true);
    expect([store.objects.size, store.unknown, [...store.open]]).toEqual([1, [], []]);
  };

  function startRun(store: ObjectStore, service: string, journal: string, count: number) {
    const url = pathToFileURL(file(sinkFile)).href;
    const args = [store.origin, service, url, sinkName, file(`${sinkName}-${journal}`), `${count}`];
    const child = fork(file("store-run.mjs"), args, { env: environmentOfUsers(), execArgv: [] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const outcome = Promise.all([once(child, "message"), once(child, "exit")]).then(([[told]]) => told);
    return { child, outcome };
  }

  it("uploads a document while it arrives", async () => {
    const store = await ObjectStore.start();
    const rest = Buffer.concat(pieces.slice(1));
    const service = await startService(inParts(store, ({ response }) => response.end(rest)));
    expect(await startRun(store, service, "streamed", 1).outcome).toEqual(made);
    wholeObject(store);
  });

  it("creates no object for a truncated document, and leaves no part of it", async () => {
    const store = await ObjectStore.start();
    const service = await startService(inParts(store, ({ response }) => response.destroy()));
    expect(await startRun(store, service, "truncated", 1).outcome).toEqual(made);
    expect(store.begunUploads).toBe(2);
    wholeObject(store);
  });

  it("leaves nothing of an aborted upload, which the next run repeats", async () => {
    const store = await ObjectStore.start();
    const first: Answer = ({ response }) => response.writeHead(200).write(pieces[0]);
    const { child, outcome } = startRun(store, await startService(whole, first, first), "aborted", 3);
    await store.partsArrived(2);
    child.send("abort");
    expect(await outcome).toEqual({ error: "That is enough." });
    expect([store.unknown, [...store.open]]).toEqual([[], []]);
    expect(store.objects.size).toBeLessThan(3);
    const next = await startRun(store, await startService(), "aborted", 3).outcome;
    expect(next).toMatchObject({ rejected: 0, failures: [] });
    expect(store.objects.size).toBe(3);
    for (const object of store.objects.values()) expect(object.equals(document)).toBe(true);
  });
});

it("examples/bulk/s3-run.mjs uploads an invoice for every line, and none the second time", async () => {
  const store = await ObjectStore.start();
  const settings = {
    ...(await startInvoices()),
    AWS_ENDPOINT_URL: store.origin,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  const folder = newFolder("s3");
  for (const summary of [
    "3 generated, 0 generated earlier, 0 failed",
    "0 generated, 3 generated earlier, 0 failed",
  ]) {
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

  it("generates an invoice for every line, and none the second time", async () => {
    const service = await startInvoices();
    const folder = newFolder("nightly");
    for (const summary of [
      "3 generated, 0 generated earlier, 0 failed, in ",
      "0 generated, 3 generated earlier, 0 failed, in ",
    ]) {
      const { exitCode, printed } = await runIn(folder, service).ended;
      expect({ exitCode, printed }).toEqual({ exitCode: 0, printed: expect.stringContaining(summary) });
    }
    expect(documentsIn(join(folder, "out"))).toEqual(invoices);
  });

  it.each([
    [
      "lines that failed",
      '{ "number": "../2" }',
      [],
      1,
      /line 3: The document cannot be saved in .*1 failed, in /s,
    ],
    ["a folder that it cannot write", "", ["rows.ndjson", "rows.csv/out"], 2, /is not writable/],
    ["a line that is not JSON, without its text", '{ "number": CANARY }', [], 3, /line 3 is not JSON/],
  ])("reports %s", async (what, line, args, exitCode, printed) => {
    const folder = newFolder(what.replaceAll(/\W+/g, "-"), `{ "number": "1" }\n\n${line}\n`);
    const ending = await runIn(folder, await startInvoices(), ...args).ended;
    expect(ending).toMatchObject({ exitCode, printed: expect.stringMatching(printed) });
    expect(ending.printed).not.toContain("CANARY");
    if (args.length === 0) expect(documentsIn(join(folder, "out"))).toEqual(["1.pdf"]);
  });

  it("finishes jobs in flight at SIGTERM, and continues in the next run", async () => {
    const count = 60;
    const rows = Array.from({ length: count }, (_, n) => JSON.stringify({ number: n }));
    const folder = newFolder("nightly-signal", rows.join("\n"));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const service = await ScriptedService.start((received) => released.then(() => whole(received)));
    onTestFinished(() => service.close());
    const settings = { TEMPLATE_PDF_BASE_URL: service.baseUrl, TEMPLATE_PDF_API_KEY: "key" };
    const { child, ended } = runIn(folder, settings);
    while (service.requests.length < 3) await service.next();
    child.kill("SIGTERM");
    release();
    const first = await ended;
    expect(first).toMatchObject({ exitCode: 3, printed: expect.stringContaining("`drain` was aborted") });
    const made = Number(/^(\d+) generated, 0 generated earlier, 0 failed/m.exec(first.printed)?.[1]);
    expect(documentsIn(join(folder, "out"))).toHaveLength(made);
    expect(made).toBeGreaterThanOrEqual(3);
    const second = await runIn(folder, settings).ended;
    expect(second.exitCode).toBe(0);
    expect(second.printed).toContain(`${count - made} generated, ${made} generated earlier, 0 failed`);
    expect(service.requests).toHaveLength(count);
  });
});

it("the commands of the README and of docs/guides/bulk.md generate the described documents", async () => {
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
  expect(printed[0]).toContain("3 rows are good");
  expect(printed[1]).toContain("3 documents made");
  expect(printed[2]).toContain("3 made before");
  expect(documentsIn(join(folder, "out"))).toEqual(invoices);
  expect(JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))).toHaveLength(3);
  const { text } = await readPdf(readFileSync(join(folder, "out/2026-0118.pdf")));
  expect(text).toContain("Łoś; Brönte & Partners");
});
