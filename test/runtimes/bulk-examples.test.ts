import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { blocksOf } from "../support/blocks-of.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { readPdf } from "../support/pdf-text.ts";
import { listen } from "../support/sockets.ts";
import { strictOptions } from "../support/strict-options.ts";
import { ObjectStore } from "./bulk-examples/object-store.ts";
import { killAtEnd, startProgramIn } from "./bulk-examples/programs.ts";
import { Workspace } from "./mocks/workspace.ts";

/** examples/bulk and the sink of docs/guides/bulk.md, with the packed package and the AWS SDK as npm has it. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const examples = join(repository, "examples/bulk");
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const guide = read("docs/guides/bulk.md");
const workspace = new Workspace();
const file = (name: string) => join(workspace.folder, name);

beforeAll(async () => {
  await workspace.install("@aws-sdk/client-s3@^3.1169.0", "@aws-sdk/lib-storage@^3.1169.0");
  cpSync(examples, file("example"), { recursive: true });
  cpSync(join(repository, "test/runtimes/bulk-examples/store-run.mjs"), file("store-run.mjs"));
  const [, shown = expect.fail("no sink in the guide")] =
    /^```ts\n\/\/ s3-sink\.ts\n(.*?)^```$/ms.exec(guide) ?? [];
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  writeFileSync(file("guide-sink.mjs"), ts.transpileModule(shown, { compilerOptions }).outputText);
}, 120_000);
afterAll(() => workspace.remove(), 60_000);

const startIn = (folder: string, words: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
  startProgramIn(folder, words, file("node_modules/.bin"), settings);

function newFolder(name: string): string {
  const folder = file(`example/${name}`);
  mkdirSync(folder);
  cpSync(examples, folder, { recursive: true });
  return folder;
}

const documentsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".pdf"));

/** The service with the invoice of the examples. */
async function startInvoices(): Promise<Record<string, string>> {
  const emulator = await startEmulator({ templates: join(repository, "examples/templates") });
  onTestFinished(() => emulator.close());
  return { TEMPLATE_PDF_BASE_URL: emulator.baseUrl, TEMPLATE_PDF_API_KEY: emulator.apiKey };
}

/** A document of some parts, in pieces: the first is more than a part of an upload, which has 5 MiB. */
const pieces = [Buffer.alloc(6 << 20, "%PDF-1.4\n"), Buffer.alloc(6 << 20, "x"), Buffer.from("\n%%EOF\n")];
const document = Buffer.concat(pieces);

/** A service that answers in a way of its own each time, and in the last way from then on. */
async function startService(...answers: ((response: ServerResponse) => Promise<void>)[]) {
  const left = [...answers];
  const service = await listen((request, response) => {
    response.setHeader("content-type", "application/pdf");
    const answer = left.length > 1 ? left.shift() : left[0];
    request.resume().on("end", () => void answer?.(response));
  });
  onTestFinished(() => service.close());
  return service.origin;
}

const whole = async (response: ServerResponse) => void response.end(document);

async function startStore(): Promise<ObjectStore> {
  const store = new ObjectStore();
  await store.start();
  onTestFinished(() => store.close());
  return store;
}

describe.each([
  ["examples/bulk/s3-sink.mjs", "example/s3-sink.mjs", "s3Sink"],
  ["the sink of docs/guides/bulk.md", "guide-sink.mjs", "s3"],
])("%s", (_title, sinkFile, sinkName) => {
  let runs = 0;
  const newJournal = () => file(`${sinkName}-${++runs}.journal`);

  function start(store: ObjectStore, service: string, journal: string, count: number): ChildProcess {
    const url = pathToFileURL(file(sinkFile)).href;
    const child = fork(file("store-run.mjs"), [store.origin, service, url, sinkName, journal, `${count}`], {
      env: environmentOfUsers(),
      execArgv: [],
    });
    return killAtEnd(child);
  }

  async function outcomeOf(child: ChildProcess): Promise<unknown> {
    const [[outcome]] = await Promise.all([once(child, "message"), once(child, "exit")]);
    return outcome;
  }

  it("uploads a document while it still comes", async () => {
    const store = await startStore();
    const service = await startService(async (response) => {
      response.write(pieces[0]);
      // Nobody would ever see the rest if the first part waited for it.
      await store.partsArrived(1);
      response.end(Buffer.concat(pieces.slice(1)));
    });
    const outcome = await outcomeOf(start(store, service, newJournal(), 1));
    expect(outcome).toEqual({ fulfilled: 1, skipped: 0, rejected: 0, failures: [] });
    expect([...store.objects.keys()]).toEqual(["/invoices/invoice-0.pdf"]);
    expect(store.objects.get("/invoices/invoice-0.pdf")?.equals(document)).toBe(true);
    expect([store.unknown, [...store.open]]).toEqual([[], []]);
  });

  it("makes no object of a document that breaks off, and leaves no part of it", async () => {
    const store = await startStore();
    const service = await startService(async (response) => {
      response.write(pieces[0]);
      await store.partsArrived(1);
      response.destroy();
    }, whole);
    const outcome = await outcomeOf(start(store, service, newJournal(), 1));
    expect(outcome).toEqual({ fulfilled: 1, skipped: 0, rejected: 0, failures: [] });
    expect(store.begunUploads).toBe(2);
    expect(store.objects.get("/invoices/invoice-0.pdf")?.equals(document)).toBe(true);
    expect([store.unknown, [...store.open]]).toEqual([[], []]);
  });

  it("leaves nothing of what an abort has interrupted, which the next run makes", async () => {
    const store = await startStore();
    const journal = newJournal();
    let answered = 0;
    const service = await startService(async (response) => {
      if (answered++ === 0) return whole(response);
      response.write(pieces[0]);
    });
    const child = start(store, service, journal, 3);
    await store.partsArrived(2);
    // The first is whole by then, or its parts are among those.
    child.send("abort");
    expect(await outcomeOf(child)).toEqual({ error: "That is enough." });
    expect([store.unknown, [...store.open]]).toEqual([[], []]);
    const before = store.objects.size;

    const next = await outcomeOf(start(store, await startService(whole), journal, 3));
    expect(next).toMatchObject({ rejected: 0, failures: [] });
    expect(store.objects.size).toBe(3);
    for (const object of store.objects.values()) expect(object.equals(document)).toBe(true);
    expect(before).toBeLessThan(3);
    expect([store.unknown, [...store.open]]).toEqual([[], []]);
  });
});

describe("examples/bulk/s3-run.mjs", () => {
  it("streams an invoice of every line to the bucket, and the second time none", async () => {
    const store = await startStore();
    const settings = {
      ...(await startInvoices()),
      AWS_ENDPOINT_URL: store.origin,
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret",
    };
    const folder = newFolder("s3");
    const run = () =>
      startIn(folder, [process.execPath, "s3-run.mjs", "rows.ndjson", "my-bucket"], settings).ended;
    // Before that, the AWS SDK warns of versions of Node.
    const summary = (line: string) => ({
      exitCode: 0,
      printed: expect.stringMatching(new RegExp(`^${line}\n$`, "m")),
    });
    expect(await run()).toEqual(summary("3 made, 0 made before, 0 failed"));
    const numbers = ["2026-0117", "2026-0118", "2026-0119"];
    const paths = numbers.map((number) => `/my-bucket/${number}.pdf`);
    expect([...store.objects.keys()].sort()).toEqual(paths);
    const { text } = await readPdf(store.objects.get(paths[0] ?? "") ?? expect.fail());
    expect(text).toContain("Εκδόσεις Αθηνά");
    expect(await run()).toEqual(summary("0 made, 3 made before, 0 failed"));
    expect([store.objects.size, store.unknown]).toEqual([3, []]);
  });
});

describe("examples/bulk/nightly-run.mjs", () => {
  const runIn = (folder: string, settings: Record<string, string>, ...args: string[]) =>
    startIn(folder, [process.execPath, "nightly-run.mjs", ...args], settings);

  it("makes an invoice of every line, and the second time none", async () => {
    const service = await startInvoices();
    const folder = newFolder("nightly");
    const first = await runIn(folder, service).ended;
    expect(first).toMatchObject({
      exitCode: 0,
      printed: expect.stringMatching(/^3 made, 0 made before, 0 failed, in /),
    });
    expect(documentsIn(join(folder, "out"))).toEqual(["2026-0117.pdf", "2026-0118.pdf", "2026-0119.pdf"]);
    const { text } = await readPdf(readFileSync(join(folder, "out/2026-0117.pdf")));
    expect(text).toContain("Εκδόσεις Αθηνά");
    const second = await runIn(folder, service).ended;
    expect(second).toMatchObject({
      exitCode: 0,
      printed: expect.stringMatching(/^0 made, 3 made before, 0 failed, in /),
    });
  });

  it("says which lines failed and why, and that it could not begin", async () => {
    const service = await startInvoices();
    const folder = newFolder("nightly-failures");
    writeFileSync(join(folder, "some.ndjson"), '{ "number": "1" }\n\n{ "number": "../2" }\n');
    const some = await runIn(folder, service, "some.ndjson").ended;
    expect(some.exitCode).toBe(1);
    expect(some.printed).toContain("line 3: The document cannot be saved in ");
    expect(some.printed).toContain("1 made, 0 made before, 1 failed, in ");
    expect(some.printed).toContain("1 × The document cannot be saved in ");
    const impossible = await runIn(folder, service, "some.ndjson", "rows.csv/out").ended;
    expect(impossible).toMatchObject({
      exitCode: 2,
      printed: expect.stringContaining("cannot be written to"),
    });
  });

  it("says which line is no JSON, and not what stands there", async () => {
    const folder = newFolder("nightly-torn");
    writeFileSync(join(folder, "torn.ndjson"), '{ "number": "1" }\n\n{ "number": CANARY }\n');
    const torn = await runIn(folder, await startInvoices(), "torn.ndjson").ended;
    expect(torn.exitCode).toBe(3);
    expect(torn.printed).toContain("line 3 is no JSON");
    expect(torn.printed).not.toContain("CANARY");
    expect(documentsIn(join(folder, "out"))).toEqual(["1.pdf"]);
  });

  it("was stopped, and has begun, where its journal cannot be written any more", async () => {
    const folder = newFolder("nightly-journal");
    const lines = Array.from({ length: 40 }, (_, n) => JSON.stringify({ number: n }));
    writeFileSync(join(folder, "rows.ndjson"), lines.join("\n"));
    const origin = await startService(async (response) => void response.end("%PDF-1.4\n%%EOF\n"));
    const service = { TEMPLATE_PDF_BASE_URL: origin, TEMPLATE_PDF_API_KEY: "key" };
    // No file may be larger than a block or two, which the documents are not.
    const words = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", process.execPath, "nightly-run.mjs"];
    const { exitCode, printed } = await startIn(folder, words, service).ended;
    expect({ exitCode, printed }).toEqual({
      exitCode: 3,
      printed: expect.stringMatching(/^The journal .* cannot be written: /m),
    });
  });

  it("finishes what is in flight when it is told to end, and goes on the next time", async () => {
    const folder = newFolder("nightly-signal");
    const count = 60;
    const lines = Array.from({ length: count }, (_, n) => JSON.stringify({ number: n }));
    writeFileSync(join(folder, "rows.ndjson"), lines.join("\n"));
    let requests = 0;
    let tell = () => {};
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    let onInFlight = () => {};
    const inFlight = new Promise<void>((resolve) => {
      onInFlight = resolve;
    });
    const origin = await startService(async (response) => {
      if (++requests === 3) onInFlight();
      await told;
      await whole(response);
    });
    const service = { TEMPLATE_PDF_BASE_URL: origin, TEMPLATE_PDF_API_KEY: "key" };
    const { child, ended } = runIn(folder, service);
    await inFlight;
    child.kill("SIGTERM");
    tell();
    const first = await ended;
    expect(first).toMatchObject({ exitCode: 3, printed: expect.stringContaining("`drain` was aborted") });
    const [, made] = /^(\d+) made, 0 made before, 0 failed/m.exec(first.printed) ?? [];
    expect(documentsIn(join(folder, "out"))).toHaveLength(Number(made));
    expect(Number(made)).toBeGreaterThanOrEqual(3);
    const second = await runIn(folder, service).ended;
    expect(second.exitCode).toBe(0);
    expect(second.printed).toContain(`${count - Number(made)} made, ${made} made before, 0 failed`);
    expect(requests).toBe(count);
  });
});

/** What docs/guides/bulk.md says once. */
const assumed = `import { TemplatePdf as TemplatePdfOfGuide } from "template-pdf";
const pdfs = new TemplatePdfOfGuide();
const rows = [{ number: "1", total: "2" }];
const jobs = rows.map((values) => ({ template: "invoice", values }));
`;

it("docs/guides/bulk.md shows code that compiles", { timeout: 120_000 }, () => {
  const blocks = blocksOf(guide, "ts");
  expect(blocks.length).toBeGreaterThan(6);
  const folder = file("guide");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of ["zod", "@types"]) {
    symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const files = blocks.map((code, index) => {
    const isWhole = index === 0 || code.startsWith("// ");
    const path = join(folder, `block-${index + 1}.ts`);
    writeFileSync(path, `${isWhole ? "" : assumed}${code}\nexport {};\n`);
    return path;
  });
  const program = ts.createProgram(files, {
    ...strictOptions,
    typeRoots: [join(folder, "node_modules/@types")],
  });
  const messages = ts.getPreEmitDiagnostics(program).map(({ file: at, messageText }) => {
    return `${at?.fileName.split("/").at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
  expect(messages).toEqual([]);
});

describe("the command line of the papers", () => {
  const linesOf = (markdown: string) =>
    blocksOf(markdown, "sh")
      .flatMap((block) => block.trim().split("\n"))
      .filter((line) => line.includes(" bulk "));
  const [inCrontab = ""] = /^```crontab\n(.*?)^```$/ms.exec(guide)?.slice(1) ?? [];
  const [, nightly = ""] = / && (.*)\n/.exec(inCrontab) ?? [];

  it("makes what it says, without a run and with one", async () => {
    const lines = [...linesOf(guide), ...linesOf(read("README.md")), nightly];
    expect(lines).toHaveLength(4);
    const service = await startInvoices();
    const folder = newFolder("typed");
    const printed: string[] = [];
    for (const line of lines) {
      const run = await startIn(folder, ["sh", "-c", line.replace(/^npx /, "")], service).ended;
      expect(run, line).toMatchObject({ exitCode: 0 });
      printed.push(run.printed);
    }
    expect(printed[0]).toContain("3 rows are good");
    expect(printed[1]).toContain("3 documents made");
    expect(printed[2]).toContain("3 made before");
    expect(documentsIn(join(folder, "out"))).toEqual(["2026-0117.pdf", "2026-0118.pdf", "2026-0119.pdf"]);
    expect(JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))).toHaveLength(3);
    const { text } = await readPdf(readFileSync(join(folder, "out/2026-0118.pdf")));
    expect(text).toContain("Łoś; Brönte & Partners");
  });

  it("has the flags that the guide lists, and no others", async () => {
    const { printed } = await startIn(workspace.folder, ["template-pdf", "bulk", "--help"]).ended;
    const flags = new Set([...printed.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, flag]) => flag));
    const [, table = ""] = /^\| flag \| what it does \|\n(.*?)\n\n/ms.exec(guide) ?? [];
    const listed = [...table.matchAll(/`(--[a-z-]+)/g)].map(([, flag]) => flag);
    expect(new Set(listed)).toEqual(flags);
  });
});
