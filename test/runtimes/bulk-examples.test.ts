import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Workspace } from "../package/mocks/workspace.ts";
import { atEnd } from "../support/at-end.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { listen } from "../support/sockets.ts";
import { ObjectStore } from "./bulk-examples/object-store.ts";

/** examples/bulk and the sink of docs/bulk.md, with the packed package and the AWS SDK as npm has it. */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const examples = join(repository, "examples/bulk");
const workspace = new Workspace();
const file = (name: string) => join(workspace.folder, name);

beforeAll(async () => {
  const { dependencies } = JSON.parse(readFileSync(join(examples, "package.json"), "utf8"));
  const needed = Object.entries(dependencies).filter(([name]) => name !== "template-pdf");
  await workspace.install(...needed.map(([name, range]) => `${name}@${range}`));
  cpSync(examples, file("example"), { recursive: true });
  cpSync(join(repository, "test/runtimes/bulk-examples/store-run.mjs"), file("store-run.mjs"));
  const guide = readFileSync(join(repository, "docs/bulk.md"), "utf8");
  const [, shown = expect.fail("no sink in the guide")] =
    /^```ts\n\/\/ s3-sink\.ts\n(.*?)^```$/ms.exec(guide) ?? [];
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  writeFileSync(file("guide-sink.mjs"), ts.transpileModule(shown, { compilerOptions }).outputText);
}, 120_000);
afterAll(() => workspace.remove(), 60_000);

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
  ["the sink of docs/bulk.md", "guide-sink.mjs", "s3"],
])("%s", (_title, sinkFile, sinkName) => {
  let runs = 0;
  const newJournal = () => file(`${sinkName}-${++runs}.journal`);

  function start(store: ObjectStore, service: string, journal: string, count: number): ChildProcess {
    const url = pathToFileURL(file(sinkFile)).href;
    const child = fork(file("store-run.mjs"), [store.origin, service, url, sinkName, journal, `${count}`], {
      env: environmentOfUsers(),
      execArgv: [],
    });
    const kill = () => void child.kill("SIGKILL");
    const forget = atEnd(kill);
    onTestFinished(() => {
      kill();
      forget();
    });
    return child;
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
