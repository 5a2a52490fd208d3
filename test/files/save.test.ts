import { link, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AtomicFile } from "../../src/files/atomic-file.ts";
import { fileSystem } from "../../src/files/file-system.ts";
import { generate, stages } from "../client/output-methods.ts";
import * as answers from "../support/service.ts";
import {
  type Answer,
  beginning,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  withLength,
} from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const pdf = pdfOf(200_000);
const beginningThenClosing: Answer = ({ response, socket }) => {
  response.writeHead(200, { "content-length": pdf.length });
  response.write(pdf.subarray(0, 150_000), () => socket.end());
};

describe.each(stages)("saveTo() on %s", (stage) => {
  const save = async (answer: Answer, path: string | URL) => {
    const pending = generate((await Service.start(answer)).client());
    return stage === "the pending result" ? pending.saveTo(path) : (await pending).saveTo(path);
  };

  it("writes the complete document to a path or a file URL", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "ünï #1%.pdf");
    const given = [path, relative(process.cwd(), path), pathToFileURL(path), pathToFileURL(path).href];
    const answersByPath = [answers.inChunks(pdf), answers.untilClose(pdf), withLength(pdf), withLength(pdf)];
    for (const [index, one] of given.entries()) {
      const saved = await save(answersByPath[index] as Answer, one);
      expect(saved).toEqual({ path: index < 2 ? one : path, bytes: pdf.length });
      expect(pdf.equals(await readFile(path))).toBe(true);
      expect(await readdir(folder)).toEqual(["ünï #1%.pdf"]);
      await writeFile(path, "");
    }
  });

  it.each([
    ["is an error", saying(404)],
    ["is not a PDF", saying(200, "<html>")],
    ["is truncated", beginningThenClosing],
  ])("leaves an existing file and its folder unchanged if the response %s", async (_, answer) => {
    const folder = temporaryFolder();
    const path = join(folder, "invoice.pdf");
    await writeFile(path, "the old invoice");
    const { ino, mtimeMs } = await stat(path);
    expect(await rejectionOf(save(answer, path))).toMatchObject({ attempts: 1 });
    expect(await readFile(path, "utf8")).toBe("the old invoice");
    expect(await stat(path)).toMatchObject({ ino, mtimeMs });
    expect(await readdir(folder)).toEqual(["invoice.pdf"]);
  });
});

describe("saveTo()", () => {
  it("creates the file only when the document is complete", async () => {
    const length = { "content-length": `${pdf.length}` };
    const service = await Service.start(beginning(pdf.subarray(0, 150_000), length));
    const folder = temporaryFolder();
    const path = join(folder, "invoice.pdf");
    const saving = generate(service.client()).saveTo(path);
    await sizeReaches(folder, 150_000);
    expect(await readdir(folder)).not.toContain("invoice.pdf");
    (await service.request()).response.end(pdf.subarray(150_000));
    expect(await saving).toEqual({ path, bytes: pdf.length });
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("leaves one complete file if 50 simultaneous calls save different documents to the same path", async () => {
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    const documentOf = (number: number) => {
      const content = String.fromCharCode("A".charCodeAt(0) + number).repeat(200_000 + number);
      return Buffer.from(`%PDF-1.4\n${content}\n%%EOF\n`);
    };
    const unfinished: (() => unknown)[] = [];
    const service = await Service.start(({ body, response }) => {
      const document = documentOf(JSON.parse(body).number);
      response.writeHead(200, { "content-type": "application/pdf", "content-length": document.length });
      response.write(document.subarray(0, 100_000));
      unfinished.push(() => response.end(document.subarray(100_000)));
      // No document is complete before all have begun.
      if (unfinished.length === numbers.length) for (const finish of unfinished) finish();
    });
    const client = service.client();
    const folder = temporaryFolder();
    const path = join(folder, "one.pdf");
    const saved = await Promise.all(numbers.map((number) => client.generate("uid", { number }).saveTo(path)));
    expect(saved.map(({ bytes }) => bytes)).toEqual(numbers.map((number) => documentOf(number).length));
    expect(await readdir(folder)).toEqual(["one.pdf"]);
    const content = await readFile(path);
    const matching = numbers.filter((number) => documentOf(number).equals(content));
    expect(matching, "documents with exactly the content of the file").toHaveLength(1);
  });

  it("replaces an existing file instead of overwriting its content", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const path = join(folder, "invoice.pdf");
    await writeFile(path, "the old invoice");
    await link(path, join(folder, "kept.pdf"));
    await generate(service.client()).saveTo(path);
    expect(await readFile(join(folder, "kept.pdf"), "utf8")).toBe("the old invoice");
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("resolves a relative path against the working directory at the time of the call", async () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    onTestFinished(() => void vi.restoreAllMocks());
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(first);
    const service = await Service.start(withLength(pdf));
    const saving = generate(service.client()).saveTo("invoice.pdf");
    cwd.mockReturnValue(second);
    expect(await saving).toEqual({ path: "invoice.pdf", bytes: pdf.length });
    expect((await stat(join(first, "invoice.pdf"))).size).toBe(pdf.length);
  });

  it("saves an empty response as an empty file if `verify` is false", async () => {
    const service = await Service.start(saying(200));
    const path = join(temporaryFolder(), "empty.pdf");
    expect(await generate(service.client({ verify: false })).saveTo(path)).toEqual({ path, bytes: 0 });
    expect(await readFile(path)).toHaveLength(0);
  });

  it("leaves an existing file unchanged if the document is cancelled while its draft is synced", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const path = join(folder, "invoice.pdf");
    await writeFile(path, "the old invoice");
    const document = await generate(service.client());
    const files = fileSystem();
    const { sync } = files;
    onTestFinished(() => void Object.assign(files, { sync }));
    const reason = new Error("the customer has left");
    files.sync = async (descriptor) => {
      await document.cancel(reason);
      await sync(descriptor);
    };
    expect(await rejectionOf(document.saveTo(path))).toBe(reason);
    expect(await readFile(path, "utf8")).toBe("the old invoice");
    expect(await readdir(folder)).toEqual(["invoice.pdf"]);
  });

  it("can save an awaited document to a different path after the first attempt fails", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const document = await generate(service.client());
    const missing = document.saveTo(join(folder, "missing", "a.pdf"));
    expect(await rejectionOf(missing)).toMatchObject({ code: "not_saved" });
    const path = join(folder, "a.pdf");
    expect(await document.saveTo(path)).toEqual({ path, bytes: pdf.length });
  });
});

/** Waits until a file in the folder has this many bytes. Ignores the empty file that tests the folder. */
async function sizeReaches(folder: string, bytes: number): Promise<void> {
  for (;;) {
    for (const name of await readdir(folder)) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      if (found && found.size >= bytes) return;
    }
  }
}

it("A file is complete even if the system writes only a few bytes at a time", async () => {
  const folder = temporaryFolder();
  const files = fileSystem();
  const { writev } = files;
  onTestFinished(() => void Object.assign(files, { writev }));
  files.writev = (descriptor, [first]) => {
    return writev(descriptor, [first?.subarray(0, 3) ?? new Uint8Array()]);
  };
  const target = { path: join(folder, "a.pdf"), folder, mode: undefined, isDirect: false };
  const file = await AtomicFile.open(target, {});
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.[\da-f-]{36}\.template-pdf$/)]);
  await file.write(["abcde", "", "fgh", "i"].map((text) => Buffer.from(text)));
  await file.finish();
  expect(await readFile(target.path, "utf8")).toBe("abcdefghi");
});
