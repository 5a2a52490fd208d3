import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bundleSource } from "../support/bundle-source.ts";
import { canMount, hasPipeFiles } from "../support/platform.ts";
import { pdfOf, Service, saying, withLength } from "../support/service.ts";
import { makePipe } from "../support/special-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const pdf = pdfOf(300_000);
const run = promisify(execFile);

/** The start of each script: a client for the base URL in its first argument. */
const createClient = `
  const [baseUrl, ...paths] = process.argv.slice(2);
  const pdfs = new TemplatePdf({ baseUrl, apiKey: "k", fetch: globalThis.fetch });
`;

/** Saves to each path, and writes each result or error to standard error. */
const saveAll = `${createClient}
  for (const path of paths) {
    const result = await pdfs.generate("uid", {}).saveTo(path).catch(({ name, message }) => ({ name, message }));
    process.stderr.write(JSON.stringify(result) + "\\n");
  }
`;

/** Bundles the package, with the fetch transport, into a script that plain Node can run as any user. Returns its path. */
async function childScript(script: string): Promise<string> {
  const folder = temporaryFolder();
  await chmod(folder, 0o755);
  const outfile = join(folder, "child.mjs");
  const contents = `import { TemplatePdf } from "template-pdf";\n${script}`;
  await bundleSource(contents, outfile, { external: ["undici"] });
  return outfile;
}

function resultsIn(stderr: string): { name?: string; message?: string; bytes?: number }[] {
  return JSON.parse(`[${stderr.trim().replaceAll("\n", ",")}]`);
}

describe.runIf(process.platform === "linux")("saveTo() in a child process", () => {
  it("writes to /dev/stdout through a shell pipe", async () => {
    const service = await Service.start(withLength(pdf));
    const target = join(temporaryFolder(), "piped.pdf");
    const command = `"$1" "$2" "$3" /dev/stdout | cat > "$4"`;
    const args = [process.execPath, await childScript(saveAll), service.baseUrl, target];
    const { stderr } = await run("sh", ["-c", command, "sh", ...args]);
    expect(resultsIn(stderr)).toEqual([{ path: "/dev/stdout", bytes: pdf.length }]);
    expect(pdf.equals(await readFile(target))).toBe(true);
  });

  it.runIf(process.getuid?.() === 0)("respects the permissions of an unprivileged user", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    await chmod(folder, 0o755);
    const open = join(folder, "open");
    await mkdir(open);
    await chmod(open, 0o777);
    await mkdir(join(folder, "secret"), { mode: 0o700 });
    const [readOnly, others] = [join(open, "read-only.pdf"), join(open, "others.pdf")];
    for (const path of [readOnly, others]) await writeFile(path, "theirs");
    await chmod(readOnly, 0o444);
    await chmod(others, 0o666);
    const refused = [join(folder, "a.pdf"), readOnly, join(folder, "secret", "a.pdf")];
    const paths = [...refused, others, join(open, "own.pdf")];
    const nobody = { uid: 65_534, gid: 65_534 };
    const script = await childScript(saveAll);
    const { stderr } = await run(process.execPath, [script, service.baseUrl, ...paths], nobody);
    const results = resultsIn(stderr);
    for (const { name, message } of results.slice(0, 3)) {
      expect({ name, message }).toEqual({
        name: "SaveError",
        message: expect.stringContaining("does not have permission to write there"),
      });
    }
    expect(results.slice(3).map(({ bytes }) => bytes)).toEqual([pdf.length, pdf.length]);
    expect(service.requests).toHaveLength(2);
    expect(await readFile(readOnly, "utf8")).toBe("theirs");
    expect(((await stat(others)).mode & 0o777).toString(8)).toBe("666");
    expect((await readdir(open)).sort()).toEqual(["others.pdf", "own.pdf", "read-only.pdf"]);
  });
});

describe("saveTo() to a file that cannot be replaced", () => {
  it.runIf(canMount)("overwrites a file that is mounted alone, as in a container", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const [outside, mounted] = [join(folder, "outside.pdf"), join(folder, "in a container.pdf")];
    for (const path of [outside, mounted]) await writeFile(path, "old");
    const command = `mount --bind "$1" "$2" && "$3" "$4" "$5" "$2"`;
    const args = [outside, mounted, process.execPath, await childScript(saveAll), service.baseUrl];
    const { stderr } = await run("unshare", ["-rm", "sh", "-c", command, "sh", ...args]);
    expect(resultsIn(stderr)).toEqual([{ path: mounted, bytes: pdf.length }]);
    expect(pdf.equals(await readFile(outside))).toBe(true);
    expect(await readFile(mounted, "utf8")).toBe("old");
    expect((await readdir(folder)).sort()).toEqual(["in a container.pdf", "outside.pdf"]);
    expect(service.requests).toHaveLength(1);
  });

  it.runIf(canMount)("sends no request if the file is mounted read-only", async () => {
    const service = await Service.start(withLength(pdf));
    const path = join(temporaryFolder(), "a.pdf");
    await writeFile(path, "old");
    const command = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && "$2" "$3" "$4" "$1"`;
    const args = [path, process.execPath, await childScript(saveAll), service.baseUrl];
    const { stderr } = await run("unshare", ["-rm", "sh", "-c", command, "sh", ...args]);
    expect(resultsIn(stderr)[0]?.message).toMatch(/: the file system is read-only\.$/);
    expect(service.requests).toHaveLength(0);
  });

  // Only the superuser can act for several users. `not-replaceable.test.ts` pretends to be another user.
  it.runIf(process.getuid?.() === 0)(
    "sends no request for another user's file in a sticky folder",
    async () => {
      const service = await Service.start(withLength(pdf));
      const folder = temporaryFolder();
      await chmod(folder, 0o1777);
      const [theirs, own] = [join(folder, "theirs.pdf"), join(folder, "own.pdf")];
      for (const path of [theirs, own]) {
        await writeFile(path, "old");
        await chmod(path, 0o666);
      }
      const nobody = { uid: 65_534, gid: 65_534 };
      await chown(own, nobody.uid, nobody.gid);
      const script = await childScript(saveAll);
      const { stderr } = await run(process.execPath, [script, service.baseUrl, theirs, own], nobody);
      const [refused, saved] = resultsIn(stderr);
      expect(refused?.message).toMatch(
        /another user owns it, and only its owner can replace a file in a sticky folder\.$/,
      );
      expect(saved).toEqual({ path: own, bytes: pdf.length });
      expect(service.requests).toHaveLength(1);
      expect(await readFile(theirs, "utf8")).toBe("old");
    },
  );
});

describe("A process", () => {
  it("exits only after its document is saved", async () => {
    const service = await Service.start(withLength(pdf));
    const path = join(temporaryFolder(), "a.pdf");
    const script = await childScript(`${createClient} pdfs.generate("uid", {}).saveTo(paths[0]);`);
    await run(process.execPath, [script, service.baseUrl, path]);
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("exits with code 1 if an error is not handled", async () => {
    const service = await Service.start(saying(404));
    const script = await childScript(`${createClient} pdfs.generate("uid", {});`);
    const failure = await run(process.execPath, [script, service.baseUrl]).catch((error) => error);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining("NotFoundError") });
  });
});

it.runIf(hasPipeFiles)("a client is created without waiting if .env is a named pipe or endless", async () => {
  const script = `try { new TemplatePdf({ baseUrl: "https://pdf.example.com" }); } catch ({ code }) { console.log(code); }`;
  const path = await childScript(script);
  for (const create of [makePipe, (link: string) => symlink("/dev/zero", link)]) {
    const cwd = temporaryFolder();
    await create(join(cwd, ".env"));
    const limits = { cwd, env: {}, timeout: 20_000, killSignal: "SIGKILL" } as const;
    const { stdout } = await run(process.execPath, [path], limits);
    expect(stdout).toBe("invalid_configuration\n");
  }
});
