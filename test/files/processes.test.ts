import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../client/every-form.ts";
import { hasPipeFiles } from "../support/platform.ts";
import { pdfOf, Service, withLength } from "../support/service.ts";
import { childScript } from "./child.ts";

const pdf = pdfOf(300_000);
const run = promisify(execFile);

/** Saves to every path it is given, and prints what came of each on standard error. */
const saveAll = `
  const [baseUrl, ...paths] = process.argv.slice(2);
  const pdfs = new TemplatePdf({ baseUrl, apiKey: "k", fetch: globalThis.fetch });
  for (const path of paths) {
    const said = await pdfs.generate("uid", {}).saveTo(path).catch(({ name, message }) => ({ name, message }));
    process.stderr.write(JSON.stringify(said) + "\\n");
  }
`;

interface Said {
  readonly name?: string;
  readonly message?: string;
  readonly bytes?: number;
}

function linesOf(stderr: string): Said[] {
  return stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Said);
}

describe.runIf(process.platform === "linux")("saveTo() in a process of its own", () => {
  it("writes to /dev/stdout through a pipe of the shell", async () => {
    const service = await Service.start(withLength(pdf));
    const target = join(temporaryFolder(), "piped.pdf");
    const script = await childScript(saveAll);
    const command = `"$1" "$2" "$3" /dev/stdout | cat > "$4"`;
    const { stderr } = await run("sh", [
      "-c",
      command,
      "sh",
      process.execPath,
      script,
      service.baseUrl,
      target,
    ]);
    expect(linesOf(stderr)).toEqual([{ path: "/dev/stdout", bytes: pdf.length }]);
    expect(pdf.equals(await readFile(target))).toBe(true);
  });

  it("writes to /dev/stdout, or says why not, where a Node process reads that", async () => {
    // Node gives its children sockets for pipes, which cannot be opened by name.
    const service = await Service.start(withLength(pdf));
    const script = await childScript(saveAll);
    const child = spawn(process.execPath, [script, service.baseUrl, "/dev/stdout"]);
    const [stdout, stderr] = await Promise.all([buffer(child.stdout), buffer(child.stderr)]);
    const [said] = linesOf(stderr.toString());
    if (said?.name === "SaveError") expect(stdout).toHaveLength(0);
    else expect(pdf.equals(stdout)).toBe(true);
  });

  it.runIf(process.getuid?.() === 0)("respects what an ordinary user may not write to", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    await chmod(folder, 0o755);
    const open = join(folder, "open");
    await mkdir(open);
    await chmod(open, 0o777);
    const readOnly = join(open, "read-only.pdf");
    await writeFile(readOnly, "theirs", { mode: 0o444 });
    await mkdir(join(folder, "secret"), { mode: 0o700 });
    const others = join(open, "others.pdf");
    await writeFile(others, "theirs");
    await chmod(others, 0o666);
    const paths = [
      join(folder, "a.pdf"),
      readOnly,
      join(folder, "secret", "a.pdf"),
      others,
      join(open, "own.pdf"),
    ];
    const script = await childScript(saveAll);
    const nobody = { uid: 65_534, gid: 65_534 };
    const { stderr } = await run(process.execPath, [script, service.baseUrl, ...paths], nobody);
    const said = linesOf(stderr);
    for (const refusal of said.slice(0, 3)) {
      expect(refusal).toMatchObject({
        name: "SaveError",
        message: expect.stringContaining("may not write there"),
      });
    }
    expect(said.slice(3).map(({ bytes }) => bytes)).toEqual([pdf.length, pdf.length]);
    expect(service.requests).toHaveLength(2);
    expect(await readFile(readOnly, "utf8")).toBe("theirs");
    expect(((await stat(others)).mode & 0o777).toString(8)).toBe("666");
    expect((await readdir(open)).sort()).toEqual(["others.pdf", "own.pdf", "read-only.pdf"]);
  });
});

describe("a process of its own", () => {
  it("ends by itself when its documents are saved, and no sooner", async () => {
    const service = await Service.start(withLength(pdf));
    const path = join(temporaryFolder(), "a.pdf");
    const script = await childScript(`
      const [baseUrl, path] = process.argv.slice(2);
      new TemplatePdf({ baseUrl, apiKey: "k", fetch: globalThis.fetch }).generate("uid", {}).saveTo(path);
    `);
    await run(process.execPath, [script, service.baseUrl, path]);
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("ends with an error where a failure was heard by nobody", async () => {
    const service = await Service.start(({ response }) => void response.writeHead(404).end());
    const script = await childScript(`
      new TemplatePdf({ baseUrl: process.argv[2], apiKey: "k", fetch: globalThis.fetch }).generate("uid", {});
    `);
    const failure = (await run(process.execPath, [script, service.baseUrl]).catch((error) => error)) as {
      code: number;
      stderr: string;
    };
    expect(failure.code).toBe(1);
    expect(failure.stderr).toContain("NotFoundError");
  });

  it.runIf(hasPipeFiles)(
    "goes on where a failed form was caught, and where a document was cancelled",
    async () => {
      const service = await Service.start(({ response }) => void response.writeHead(404).end());
      const script = await childScript(`
      const pdfs = new TemplatePdf({ baseUrl: process.argv[2], apiKey: "k", fetch: globalThis.fetch });
      await pdfs.generate("uid", {}).bytes().catch(() => {});
      pdfs.generate("uid", {}).cancel();
      const pending = pdfs.generate("uid", {});
      await Promise.allSettled([pending.stream(), pending.saveTo("/dev/null")]);
      setTimeout(() => console.log("still here"), 50);
    `);
      expect((await run(process.execPath, [script, service.baseUrl])).stdout).toBe("still here\n");
    },
  );
});
