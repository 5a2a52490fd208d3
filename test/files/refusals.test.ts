import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SaveError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { generate, temporaryFolder } from "../client/every-form.ts";
import { hasFreeNames, isWindows } from "../support/platform.ts";
import { pdfOf, rejectionOf, Service, turns, withLength } from "../support/service.ts";

const pdf = pdfOf(2_000);

/** Paths that cannot be saved to, made of a folder with a file `a-file` and a folder `a-folder` in it. */
const refused: readonly (readonly [string, (folder: string) => string | URL, RegExp])[] = [
  [
    "a missing folder",
    (folder) => join(folder, "missing", "a.pdf"),
    /its folder does not exist: create it first/,
  ],
  ["a folder", (folder) => join(folder, "a-folder"), /it is a folder: name a file inside it/],
  [
    "a folder with a slash behind",
    (folder) => `${join(folder, "a-folder")}/`,
    /it is a folder: name a file inside it/,
  ],
  ["the root", () => "/", /it is a folder/],
  ["the working directory", () => ".", /it is a folder/],
  [
    "a file for a folder",
    (folder) => join(folder, "a-file", "a.pdf"),
    isWindows ? /its folder does not exist/ : /a file, not a folder/,
  ],
  ["an empty path", () => "", /an empty string/],
  ["a NUL in the path", (folder) => `${folder}/a\0.pdf`, /a string with a NUL/],
  ["a name of 256 bytes", (folder) => join(folder, "n".repeat(256)), /its name is too long/],
  [
    "a path that is too long",
    (folder) => join(folder, "n/".repeat(3_000)),
    /too long|does not exist|it is a folder/,
  ],
  ["undefined", () => undefined as never, /not to undefined/],
  ["null", () => null as never, /not to/],
  ["a number", () => 3 as never, /not to number/],
  ["an object", () => ({ path: "/tmp/a.pdf" }) as never, /not to object/],
  ["an http URL", () => new URL("https://user:CANARY@example.com/CANARY.pdf"), /a URL with https:/],
  [
    "a file URL on another machine",
    () => new URL("file://other/tmp/a.pdf"),
    isWindows ? /its folder does not exist/ : /file: URL/,
  ],
  ["a file URL with a slash in a name", () => new URL("file:///tmp/a%2Fb.pdf"), /file: URL/],
  ["what the system makes up", () => "/proc/template-pdf.pdf", /may not write there|does not exist|cannot/i],
  ...refusedOnWindows(),
];

/** What Windows would take, and then open for nobody. */
function refusedOnWindows(): (typeof refused)[number][] {
  if (!isWindows) return [];
  return [
    ["a device", (folder) => join(folder, "NUL.pdf"), /Windows keeps that name for a device/],
    ["a device by its own name", () => "\\\\.\\NUL", /not to a device of Windows/],
    ["a stream of a file", (folder) => join(folder, "a-file:b.pdf"), /Windows takes none of/],
    ["a dot at the end", (folder) => join(folder, "a.pdf."), /no dot or space at the end/],
    ["a name with a line break", (folder) => join(folder, "a\nb.pdf"), /no control characters/],
  ];
}

async function folderWithContent(): Promise<string> {
  const folder = temporaryFolder();
  await mkdir(join(folder, "a-folder"));
  await writeFile(join(folder, "a-file"), "content");
  return folder;
}

describe("saveTo() asked in the same breath as the document finds out before anything is sent:", () => {
  it.each(refused)("%s", async (_, pathIn, message) => {
    const service = await Service.start(withLength(pdf));
    const folder = await folderWithContent();
    const path = pathIn(folder);
    const pending = generate(service.client());
    const error = await rejectionOf(pending.saveTo(path));
    expect(error).toBeInstanceOf(SaveError);
    expect(error).toMatchObject({ code: "not_saved", attempts: 0 });
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain("CANARY");
    expect(typeof (error as SaveError).path).toBe("string");
    // Whoever awaits the document beside it hears the same.
    expect(await rejectionOf(pending)).toBe(error);
    await turns();
    expect(service.requests).toHaveLength(0);
    expect((await readdir(folder)).sort()).toEqual(["a-file", "a-folder"]);
  });

  it("a good path beside a bad one does not help", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = await folderWithContent();
    const pending = generate(service.client());
    const failures = [
      pending.saveTo(join(folder, "good.pdf")),
      pending.saveTo(join(folder, "a-folder")),
      pending.bytes(),
    ];
    for (const { status } of await Promise.allSettled(failures)) expect(status).toBe("rejected");
    expect(service.requests).toHaveLength(0);
    expect((await readdir(folder)).sort()).toEqual(["a-file", "a-folder"]);
  });

  it("what is wrong with the call itself is told, though the path is good", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const error = await rejectionOf(service.client().generate("..", {}).saveTo(join(folder, "a.pdf")));
    expect(error).toMatchObject({ code: "invalid_configuration" });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("saveTo() of a document that has come refuses, and leaves nothing behind:", () => {
  it.each(refused)("%s", async (_, pathIn, message) => {
    const service = await Service.start(withLength(pdf));
    const folder = await folderWithContent();
    const document = await generate(service.client());
    const error = await rejectionOf(document.saveTo(pathIn(folder)));
    expect(error).toBeInstanceOf(SaveError);
    expect(String(error)).toMatch(message);
    expect((await readdir(folder)).sort()).toEqual(["a-file", "a-folder"]);
    expect(await readFile(join(folder, "a-file"), "utf8")).toBe("content");
  });

  it("an error of the file system is the cause", async () => {
    const service = await Service.start(withLength(pdf));
    const path = join(temporaryFolder(), "missing", "a.pdf");
    const error = await rejectionOf(generate(service.client()).saveTo(path));
    expect(error).toMatchObject({ path, cause: { code: "ENOENT" } });
  });
});

describe("saveTo() accepts", () => {
  const everywhere: [title: string, name: string][] = [
    ["a name of 255 bytes", "n".repeat(255)],
    ["a name of 255 bytes in other letters", "ü".repeat(127)],
    ["a name that begins with a dash", "-rf"],
    ["a hidden name", ".a.pdf"],
  ];
  const elsewhere: [title: string, name: string][] = [
    ["a name with a line break", "a\nb.pdf"],
    ["a name with a backslash", "a\\b.pdf"],
    ["a name of dots", "..."],
    ["a name of spaces", "  "],
  ];
  it.each(hasFreeNames ? [...everywhere, ...elsewhere] : everywhere)("%s", async (_, name) => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    await generate(service.client()).saveTo(`${folder}/${name}`);
    expect(await readdir(folder)).toEqual([name]);
    // Also where the file is there already.
    await generate(service.client()).saveTo(`${folder}/${name}`);
    expect(await readdir(folder)).toEqual([name]);
    expect(pdf.equals(await readFile(`${folder}/${name}`))).toBe(true);
  });
});
