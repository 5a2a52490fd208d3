import { execFile } from "node:child_process";
import { existsSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { eventually } from "../support/eventually.ts";
import { hasLinks, hasPipeFiles } from "../support/platform.ts";
import { makePipe } from "../support/special-files.ts";
import { generate, shareEmulator, templateFolder, textOf } from "./emulated.ts";

const built = new URL("../../dist/emulator/index.js", import.meta.url).href;

const pipe = "it is a named pipe, not a file";
const fine = '{"content":"fine"}';
const text = (style: object) => JSON.stringify({ content: [{ text: "a", ...style }] });

const shared = shareEmulator(
  {
    "fine.json": fine,
    "picture.json": '{"content":[{"image":"pipe.png"}]}',
    "font.json": text({ font: "Pipe" }),
    "large-font.json": text({ font: "Large" }),
    "importing.mjs": 'export default async () => import("./shared/pipe.mjs");',
    "../images/logo.png": "",
    "../fonts/Other.ttf": "",
  },
  (folder) => ({ images: join(folder, "images"), fonts: join(folder, "fonts"), limits: { threads: 2 } }),
);

const onError = () => {};

/** Every thread of libuv, and more. */
const calls = Array.from({ length: 6 });

describe.runIf(hasPipeFiles && hasLinks)("in place of a file of a template,", () => {
  it.each<[what: string, row: { readonly uid: string; readonly file: string; readonly reason: string }]>([
    [
      "a JSON template",
      { uid: "template", file: "templates/template.json", reason: `template.json: cannot be read: ${pipe}` },
    ],
    [
      "a module template",
      { uid: "module", file: "templates/module.mjs", reason: `module.mjs cannot be loaded: ${pipe}` },
    ],
    [
      "an imported module",
      {
        uid: "importing",
        file: "templates/shared/pipe.mjs",
        reason: `shared/pipe.mjs cannot be loaded: ${pipe}`,
      },
    ],
    [
      "an image",
      {
        uid: "picture",
        file: "images/pipe.png",
        reason: `a file that it uses cannot be read: ${pipe} (pipe.png)`,
      },
    ],
    [
      "a font",
      {
        uid: "font",
        file: "fonts/Pipe-Regular.ttf",
        reason: `a file that it uses cannot be read: ${pipe} (Pipe-Regular.ttf)`,
      },
    ],
  ])(
    "a named pipe for %s causes a 500 with the reason, and other templates still work",
    async (_, { uid, file, reason }) => {
      await mkdir(join(shared.folder, file, ".."), { recursive: true });
      makePipe(join(shared.folder, file));
      expect(await Promise.all(calls.map(() => textOf(shared, uid)))).toEqual(calls.map(() => 500));
      expect(shared.errors.at(-1)?.message).toContain(reason);
      expect(await textOf(shared, "fine")).toContain("fine");
    },
  );

  it("a link to a device and a file that is too large cause a 500 with the reason", async () => {
    symlinkSync("/dev/zero", join(shared.folder, "templates/endless.json"));
    expect(await textOf(shared, "endless")).toBe(500);
    expect(shared.errors.at(-1)?.message).toContain(
      "endless.json: cannot be read: it is a device, not a file",
    );
    for (const file of ["templates/large.json", "fonts/Large-Regular.ttf"]) {
      writeFileSync(join(shared.folder, file), "");
      truncateSync(join(shared.folder, file), 2 ** 30);
    }
    expect(await textOf(shared, "large")).toBe(500);
    expect(shared.errors.at(-1)?.message).toContain("large.json: cannot be read: it is larger than 64 MiB");
    expect(await textOf(shared, "large-font")).toBe(500);
    expect(shared.errors.at(-1)?.message).toContain("it is larger than 64 MiB (Large-Regular.ttf)");
  });
});

it.runIf(hasPipeFiles)("startEmulator() rejects if a template is a named pipe", async () => {
  const templates = await templateFolder({ "fine.json": fine });
  makePipe(join(templates, "pipe.json"));
  await expect(startEmulator({ templates })).rejects.toThrow(`pipe.json: cannot be read: ${pipe}`);
});

it.runIf(hasPipeFiles)("a named pipe called package.json does not stop the playground", async () => {
  const templates = await templateFolder({ "fine.json": fine });
  makePipe(join(templates, "package.json"));
  // In its own process, because Node would wait for the pipe in the main thread.
  const script = `import { startEmulator } from ${JSON.stringify(built)};
    const { baseUrl } = await startEmulator({ templates: ${JSON.stringify(templates)} });
    console.log((await fetch(baseUrl + "/_playground/pdfjs/pdf.min.mjs")).status);
    process.exit();`;
  const args = ["--input-type=module", "--eval", script];
  const limits = { cwd: templates, timeout: 25_000, killSignal: "SIGKILL" } as const;
  expect((await promisify(execFile)(process.execPath, args, limits)).stdout).toBe("404\n");
});

/** A template that writes a file next to itself, and then runs this code. */
const afterMark = (code: string) =>
  `import { readFileSync, writeFileSync } from "node:fs";
   const next = (name) => new URL(name, import.meta.url);
   export default () => { writeFileSync(next("begun"), ""); ${code} };`;

describe.runIf(hasPipeFiles)("a thread that waits for a named pipe", () => {
  const blocked = afterMark('readFileSync(next("pipe"))');

  it("does not keep close() from settling, which names the template", async () => {
    const templates = await templateFolder({ "blocked.mjs": blocked });
    makePipe(join(templates, "pipe"));
    const emulator = await startEmulator({ templates, onError, limits: { threads: 1 } });
    const leaving = new AbortController();
    const call = generate(emulator, "blocked", {}, { signal: leaving.signal }).catch(() => {});
    await eventually(() => existsSync(join(templates, "begun")));
    leaving.abort();
    await call;
    await expect(emulator.close()).rejects.toThrow(
      /blocked\.mjs: its rendering thread cannot be stopped, because it waits for the system/,
    );
  });

  it("is replaced, so that other templates still work", async () => {
    const templates = await templateFolder({ "blocked.mjs": blocked, "fine.json": fine });
    makePipe(join(templates, "pipe"));
    const emulator = await startEmulator({ templates, onError, limits: { threads: 1, renderMs: 2_000 } });
    onTestFinished(() => emulator.close().catch(() => {}));
    expect(await textOf(emulator, "blocked")).toBe(500);
    // On a busy machine, even this document may exceed the limit.
    await eventually(async () => String(await textOf(emulator, "fine")).includes("fine"));
  });
});

it.each([
  ["spins", "for (;;);"],
  ["imports a module whose top-level await never ends", 'return import("./shared/waiting.mjs");'],
])("close() settles while a template %s", async (_title, code) => {
  const begin = afterMark(code);
  const templates = await templateFolder({
    "busy.mjs": begin,
    "shared/waiting.mjs": "await new Promise(() => {});",
  });
  const emulator = await startEmulator({ templates, onError, limits: { threads: 1 } });
  const call = generate(emulator, "busy").catch(() => {});
  await eventually(() => existsSync(join(templates, "begun")));
  await expect(emulator.close()).rejects.toThrow("the server interrupted 1 call(s)");
  await call;
});
