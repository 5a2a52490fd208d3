import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError, SaveError, type SaveOptions } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { generate } from "../client/output-methods.ts";
import { hasFreeNames, isWindows } from "../support/platform.ts";
import { pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const pdf = pdfOf(2_000);
const isFolder = /it is a folder: specify a file inside it\.$/;

/** Paths in a folder that contains a file `a-file` and a folder `a-folder`, and why each is refused. */
const refusedPaths: readonly (readonly [string, string, RegExp])[] = [
  ["a missing folder", "missing/a.pdf", /does not exist: create it first, or pass \{ recursive: true \}\.$/],
  ["a folder path", "a-folder", isFolder],
  ["a folder path with a trailing slash", "a-folder/", isFolder],
  ["the path of a missing file with a trailing slash", "new/", isFolder],
  ["a file used as a folder", "a-file/a.pdf", isWindows ? /folder does not exist/ : /a file, not a folder/],
  ["a path with a NUL character", "a\0.pdf", /a string with a NUL/],
  ["a file name of 256 bytes", "n".repeat(256), /its name is too long/],
];

/** Paths that Windows would accept, but that no program could open afterwards. */
const refusedOnWindows: typeof refusedPaths = [
  ["a device name", "NUL.pdf", /Windows reserves this name for a device/],
  ["a name with a trailing dot", "a.pdf.", /a dot or space at the end/],
];

/** Refused values that do not depend on the folder. */
const refusedValues: readonly (readonly [string, unknown, RegExp])[] = [
  ["the root folder", "/", isFolder],
  ["the working directory", ".", isFolder],
  ["a number as the path", 5, /got number\.$/],
  ["an empty path", "", /an empty string/],
  ["an https URL as text", "https://user:CANARY@example.com/CANARY.pdf", /a URL with https:/],
  ["an https URL", new URL("https://user:CANARY@example.com/CANARY.pdf"), /a URL with https:/],
  ["a file URL with a host", new URL("file://other/a.pdf"), isWindows ? /folder does not/ : /got a file:/],
];

function pretendWindows(): void {
  vi.spyOn(process, "platform", "get").mockReturnValue("win32");
  onTestFinished(() => void vi.restoreAllMocks());
}

async function folderWithContent(): Promise<string> {
  const folder = temporaryFolder();
  await mkdir(join(folder, "a-folder"));
  await writeFile(join(folder, "a-file"), "content");
  return folder;
}

/** The names in a folder from `folderWithContent`, and the text of its file. */
async function contentOf(folder: string) {
  const names = (await readdir(folder)).sort();
  return { names, text: await readFile(join(folder, "a-file"), "utf8") };
}

const originalContent = { names: ["a-file", "a-folder"], text: "content" };

/** Saves a document to a path that is refused, and then awaits the document. */
async function saveToRefused(pathIn: (folder: string) => unknown) {
  const service = await Service.start(withLength(pdf));
  const folder = await folderWithContent();
  const pending = generate(service.client());
  const error = (await rejectionOf(pending.saveTo(pathIn(folder) as string))) as SaveError;
  const errorOfDocument = await rejectionOf(pending);
  await turns();
  const effects = { requests: service.requests.length, content: await contentOf(folder) };
  return { error, errorOfDocument, effects };
}

const noEffects = { requests: 0, content: originalContent };
const beforeTheRequest = { code: "not_saved", attempts: 0, path: expect.any(String) };

describe("saveTo() called in the same tick as generate()", () => {
  it.each(refusedPaths)(
    "rejects %s without sending a request or writing a file",
    async (_, path, message) => {
      const { error, errorOfDocument, effects } = await saveToRefused((folder) => `${folder}/${path}`);
      expect(error).toBeInstanceOf(SaveError);
      expect(error).toMatchObject(beforeTheRequest);
      expect(error.message).toMatch(message);
      expect(errorOfDocument).toBe(error);
      expect(effects).toEqual(noEffects);
    },
  );

  it.each(refusedValues)(
    "rejects %s without sending a request, writing a file or quoting a URL",
    async (_, value, message) => {
      const { error, errorOfDocument, effects } = await saveToRefused(() => value);
      expect(error).toBeInstanceOf(SaveError);
      expect(error).toMatchObject(beforeTheRequest);
      expect(error.message).toMatch(message);
      expect(errorOfDocument).toBe(error);
      expect(effects).toEqual(noEffects);
      expect(String(error)).not.toContain("CANARY");
    },
  );

  it.each(refusedOnWindows)(
    "rejects %s on Windows without sending a request or writing a file",
    async (_, path, message) => {
      pretendWindows();
      const { error, errorOfDocument, effects } = await saveToRefused((folder) => `${folder}/${path}`);
      expect(error).toBeInstanceOf(SaveError);
      expect(error).toMatchObject(beforeTheRequest);
      expect(error.message).toMatch(message);
      expect(errorOfDocument).toBe(error);
      expect(effects).toEqual(noEffects);
    },
  );

  it("rejects a device path on Windows", async () => {
    pretendWindows();
    const { error, effects } = await saveToRefused(() => "\\\\.\\NUL");
    expect(error).toBeInstanceOf(SaveError);
    expect(error.message).toMatch(/got a Windows device\.$/);
    expect(effects).toEqual(noEffects);
  });

  it("rejects with the original error as the cause, if there is one", async () => {
    const causeOf = async (pathIn: (folder: string) => unknown) => (await saveToRefused(pathIn)).error.cause;
    expect(await causeOf((folder) => join(folder, "missing", "a.pdf"))).toMatchObject({ code: "ENOENT" });
    expect(await causeOf(() => new URL("https://example.com"))).toBeInstanceOf(TypeError);
    for (const pathIn of [(folder: string) => join(folder, "a-folder"), () => ""]) {
      expect((await saveToRefused(pathIn)).error).not.toHaveProperty("cause");
    }
  });

  it("makes every output reject if one path is invalid", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = await folderWithContent();
    const pending = generate(service.client());
    const paths = [join(folder, "good.pdf"), join(folder, "a-folder")];
    const outputs = [...paths.map((path) => pending.saveTo(path)), pending.bytes()];
    for (const { status } of await Promise.allSettled(outputs)) expect(status).toBe("rejected");
    expect(service.requests).toHaveLength(0);
    expect(await contentOf(folder)).toEqual(originalContent);
  });
});

it("saveTo() on an awaited document rejects and writes nothing if the folder is missing", async () => {
  const service = await Service.start(withLength(pdf));
  const folder = await folderWithContent();
  const document = await generate(service.client());
  const error = await rejectionOf(document.saveTo(`${folder}/missing/a.pdf`));
  expect(error).toBeInstanceOf(SaveError);
  expect(error).toMatchObject({ message: expect.stringMatching(/its folder does not exist/), attempts: 1 });
  expect(await contentOf(folder)).toEqual(originalContent);
});

const names = ["n".repeat(255), "ü".repeat(127), "-rf"];
const freeNames = ["a\\b.pdf", "..."];
it.each([...names, ...(hasFreeNames ? freeNames : [])])("saveTo() accepts the file name %j", async (name) => {
  const service = await Service.start(withLength(pdf));
  const folder = temporaryFolder();
  for (const when of ["new", "existing"]) {
    await generate(service.client()).saveTo(`${folder}/${name}`);
    expect(await readdir(folder), when).toEqual([name]);
  }
  expect(pdf.equals(await readFile(`${folder}/${name}`))).toBe(true);
});

it("saveTo() with { recursive: true } creates the missing folders in the path", async () => {
  const path = join(temporaryFolder(), "out", "2026", "invoice.pdf");
  const service = await Service.start(withLength(pdf));
  await generate(service.client()).saveTo(path, { recursive: true });
  expect((await readFile(path)).equals(pdf)).toBe(true);
  await (await generate(service.client())).saveTo(path, { recursive: true });
  expect((await readFile(path)).equals(pdf)).toBe(true);
});

it("saveTo() does not create folders unless `recursive` is true", async () => {
  const folder = join(temporaryFolder(), "out");
  const service = await Service.start(withLength(pdf));
  for (const options of [undefined, {}, { recursive: false }]) {
    const error = await rejectionOf(generate(service.client()).saveTo(join(folder, "a.pdf"), options));
    expect(error).toBeInstanceOf(SaveError);
    const hint = options?.recursive === undefined ? ", or pass { recursive: true }." : "create it first.";
    expect((error as Error).message.endsWith(hint)).toBe(true);
    expect(existsSync(folder)).toBe(false);
  }
});

it.each<[unknown, string]>([
  [{ recursiv: true }, "Unknown saveTo() option `recursiv`. Known options: recursive."],
  [null, "Expected the saveTo() options to be an object, got null."],
])("saveTo() rejects the options %j", async (options, message) => {
  const service = await Service.start(withLength(pdf));
  const path = join(temporaryFolder(), "a.pdf");
  const error = await rejectionOf(generate(service.client()).saveTo(path, options as SaveOptions));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as Error).message).toContain(message);
});
