import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageFilesOf as bulkFilesOf } from "../../bench/bulk/page.mjs";
import { pageFilesOf as compareFilesOf } from "../../bench/compare/page.mjs";
import { contenders } from "../../bench/measure/contenders.mjs";
import { pdfOf } from "../../bench/shared/pdf-of.mjs";
import { readReport } from "../../bench/shared/reports.mjs";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

// Other packages are installed only for measurements, which check the length of each document.
type Contender = (job: object) => Promise<(slot: number) => Promise<number>>;

describe("a contender of the benchmark", () => {
  const server = fork(new URL("../../bench/servers/raw.mjs", import.meta.url));
  const { path: folder, remove } = makeTemporaryFolder("contenders");
  let origin: string;

  beforeAll(async () => {
    const [port] = await once(server, "message");
    origin = `http://127.0.0.1:${port}`;
  });
  afterAll(() => {
    server.kill();
    remove();
  });

  it.each(Object.entries<Contender>(contenders))(
    "fetches complete documents, or rejects: %s",
    async (name, contender) => {
      const jobOf = (uid: string) => ({ origin, uid, apiKey: "key", values: { total: "1" }, folder });
      for (const bytes of [2_000, 1_000_000]) {
        expect(await (await contender(jobOf(String(bytes))))(7)).toBe(bytes);
        if (/saveTo|writeFile/.test(name))
          expect(pdfOf(bytes).equals(await readFile(join(folder, "7.pdf")))).toBe(true);
      }
      const refused = await contender(jobOf("no-such-template"));
      await expect(refused(0)).rejects.toThrow();
    },
  );
});

function run(...args: string[]) {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  return spawnSync(process.execPath, ["bench/main.mjs", ...args], { cwd, encoding: "utf8" });
}

describe("npm run bench", () => {
  const names = /The benchmarks: (.*)/.exec(run("--help").stdout)?.[1]?.split(", ") ?? [];

  it.each(names)("prints the options of %s with --help", (name) => {
    const { status, stdout, stderr } = run(name, "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^npm run bench -- ${name} \\[options\\]\n[^]*^  --\\w`, "m"));
  });

  it("measures 100 documents, and prints listeners, timers and sockets", () => {
    const { status, stdout } = run("soak", "--documents", "100");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^100 whole, 0 failed, /m),
    });
  });

  it.each([
    [["nothing"], "nothing"],
    [["soak", "--bogus"], "--bogus"],
    [["--only", "curl"], "--only matches no name in undici dispatch"],
    [["bulk", "--documents", "150"], "--documents"],
  ])("rejects the arguments %j with one line", (args, problem) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout, lines: stderr.trimEnd().split("\n") }).toEqual({
      status: 2,
      stdout: "",
      lines: [expect.stringContaining(problem)],
    });
  });
});

it.each([
  ["benchmarks", "npm run bench -- --page", compareFilesOf],
  ["bulk-benchmarks", "npm run bench -- bulk --page", bulkFilesOf],
])("the files of docs/reports/%s are up to date: %s writes them", (name, _command, filesOf) => {
  const files: Readonly<Record<string, string>> = filesOf(JSON.parse(readReport(`${name}.json`)));
  for (const extension of ["json", "md", "svg"])
    expect(readReport(`${name}.${extension}`)).toBe(files[`${name}.${extension}`]);
});
