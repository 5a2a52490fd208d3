import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openerOf } from "../../src/cli/open-file.ts";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { eventually } from "../support/eventually.ts";
import { generateSetting } from "./run-in-process.ts";

/** Generates a document with `--open`, with the folder of the openers as the `PATH`. */
async function generateAndOpen(openers: string, platform = "linux") {
  const { cwd, terminal } = await generateSetting();
  terminal.platform = platform;
  terminal.env["PATH"] = openers;
  const path = join(cwd, "it's 100% & more.pdf");
  return { path, code: await run(["generate", "invoice", "--open", "-o", path], terminal), terminal };
}

describe("--open", () => {
  it.each([
    ["linux", "xdg-open"],
    ["darwin", "open"],
  ])("starts the opener of %s with the saved file, and does not wait for it", async (platform, name) => {
    const openers = temporaryFolder();
    const openedFile = join(openers, "opened");
    const viewer = `#!/bin/sh
      cd '${openers}' && printf %s "$*" > part && mv part opened
      for i in 1 2 3 4 5 6 7 8 9; do [ -e closed ] || sleep 0.5; done
      touch ended
`;
    await writeFile(join(openers, name), viewer, { mode: 0o755 });
    const { path, code, terminal } = await generateAndOpen(`${openers}:/usr/bin:/bin`, platform);
    expect({ code, stderr: terminal.stderr.text }).toEqual({ code: 0, stderr: "" });
    expect(existsSync(join(openers, "ended"))).toBe(false);
    await eventually(() => existsSync(openedFile));
    expect(await readFile(openedFile, "utf8")).toBe(path);
    await writeFile(join(openers, "closed"), "");
  });

  it("keeps the document and ends with exit code 1 if there is no opener", async () => {
    const { path, code, terminal } = await generateAndOpen(temporaryFolder());
    expect(code).toBe(1);
    expect(terminal.printed).toBe(`${path}: 36.8 kB\n`);
    expect(terminal.stderr.text).toBe(
      `template-pdf: Could not open ${path} with xdg-open: the program was not found. ` +
        "The document is saved. Open it yourself.\n",
    );
    expect(existsSync(path)).toBe(true);
  });

  it("passes the path to the Windows shell in an environment variable", () => {
    const path = String.raw`C:\Users\me\100% & %PATH%.pdf`;
    const [command, args, options] = openerOf("win32", path, { PATH: "p" });
    expect([command, ...args].join(" ")).toBe('cmd /d /v:off /s /c "start "" "%TEMPLATE_PDF_OPEN%""');
    expect(options).toMatchObject({
      windowsVerbatimArguments: true,
      detached: true,
      env: { PATH: "p", TEMPLATE_PDF_OPEN: path },
    });
  });
});
