import { execFileSync } from "node:child_process";
import { appendFileSync, createWriteStream, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hasPipeFiles } from "../../support/platform.ts";
import { fileOf, open, readAll, valuesOf } from "./read-data.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Redirects temporary files to an otherwise unused folder. */
function stubTemporaryFolder(): string {
  const folder = dirname(fileOf("none", ""));
  vi.stubEnv("TMPDIR", folder);
  return folder;
}

const misuse = (message: unknown) => ({ name: "Misuse", message });
const advice = "Specify a file of rows, or - for standard input.";

describe("standard input", () => {
  it.each(["-", "/dev/stdin"])("can be read twice as `%s`, and leaves no file behind", async (file) => {
    const folder = stubTemporaryFolder();
    const stdin = Readable.from([Buffer.from("a,"), Buffer.from("b\n1,"), Buffer.from("2\n")]);
    const data = await open(file, { stdin });
    expect(data).toMatchObject({ name: "standard input", format: "csv" });
    for (const _time of [1, 2]) expect(valuesOf(await readAll(data.rows()))).toEqual([{ a: "1", b: "2" }]);
    expect(readdirSync(folder)).toEqual(["none"]);
  });

  it("causes an error if it is empty, cannot be read or cannot be stored", async () => {
    const empty = "standard input: this is empty. Add a row for each document.";
    await expect(open("-", { stdin: Readable.from([]) })).rejects.toMatchObject(misuse(empty));
    const stdin = new Readable({ read: () => void stdin.destroy(new Error("EIO")) });
    const unread = misuse(`Could not read standard input: EIO. ${advice}`);
    await expect(open("-", { stdin })).rejects.toMatchObject(unread);
    vi.stubEnv("TMPDIR", join(stubTemporaryFolder(), "nowhere"));
    const message =
      /^Could not store standard input in .* for a second read: there is no such file\. Set TMPDIR to a folder with enough space\.$/;
    const refusal = misuse(expect.stringMatching(message));
    await expect(open("-", { stdin: Readable.from(["a"]) })).rejects.toMatchObject(refusal);
  });

  it("is closed when the command is stopped, and leaves no temporary file behind", async () => {
    const folder = stubTemporaryFolder();
    const ending = new AbortController();
    let reads = 0;
    const read = () => (++reads < 3 ? stdin.push("a,b\n") : ending.abort(new Error("stopped")));
    const stdin = new Readable({ read: () => void read() });
    await expect(open("-", { stdin, signal: ending.signal })).rejects.toThrow("stopped");
    expect(stdin.destroyed).toBe(true);
    expect(readdirSync(folder)).toEqual(["none"]);
  });
});

describe("a file", () => {
  it.runIf(hasPipeFiles)("can be read twice even if it is a named pipe", async () => {
    const path = join(dirname(fileOf("none", "")), "rows.ndjson");
    execFileSync("mkfifo", [path]);
    createWriteStream(path).end('{"a":1}\n{"a":2}\n');
    const data = await open(path);
    for (const _time of [1, 2]) expect(valuesOf(await readAll(data.rows()))).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("is rejected if its content changes between two reads", async () => {
    const path = fileOf("data.csv", "a,b\n1,2\n");
    const data = await open(path);
    expect(valuesOf(await readAll(data.rows()))).toEqual([{ a: "1", b: "2" }]);
    writeFileSync(path, "a,b\n1,3\n");
    utimesSync(path, 1, 1);
    const message = `${path} changed while it was being read. Run the command again.`;
    await expect(readAll(data.rows())).rejects.toMatchObject(misuse(message));
  });

  it.each<[title: string, onFirstRow: (path: string, ending: AbortController) => void, error: string]>([
    ["a row is added", (path) => appendFileSync(path, "{}\n"), "changed while it was being read"],
    ["the command is stopped", (_path, ending) => ending.abort(new Error("stopped")), "stopped"],
  ])("is not read to the end if %s during the read", async (_title, onFirstRow, error) => {
    const ending = new AbortController();
    const path = fileOf("data.ndjson", '{"a":1}\n'.repeat(50_000));
    const data = await open(path, { signal: ending.signal });
    let count = 0;
    const readOn = async () => {
      for await (const _row of data.rows()) if (++count === 1) onFirstRow(path, ending);
    };
    await expect(readOn()).rejects.toThrow(error);
    expect(count).toBeLessThan(20_000);
  });
});
