import { execFile } from "node:child_process";
import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { small } from "../bulk/many.ts";
import { childScript } from "../files/child.ts";
import { Service, withLength } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

/** Runs fifty jobs into each of two folders, and prints what was said of those that were rejected, each once. */
const script = `
  import { folder, runBulk } from "./src/bulk/index.ts";
  const [baseUrl, at] = process.argv.slice(2);
  const client = new TemplatePdf({ baseUrl, apiKey: "k", fetch: globalThis.fetch });
  const jobs = Array.from({ length: 100 }, (_, n) => ({ template: "t", values: { n, inner: n % 2 ? "theirs" : "ours" } }));
  const said = new Set();
  const sink = folder("{{inner}}/{{n}}.pdf", { root: at + "/out" });
  const onResult = ({ error }) => error && said.add(error.message.replace(at, ""));
  const { fulfilled, rejected } = await runBulk({ client, jobs, sink, journal: at + "/run.journal", onResult });
  console.log(JSON.stringify({ fulfilled, rejected, said: [...said] }));
`;

it.runIf(process.platform !== "win32")(
  "a folder inside of a folder that may not be written to costs no documents",
  async () => {
    const service = await Service.start(withLength(small));
    const { path: at, remove } = makeTemporaryFolder("sink");
    onTestFinished(remove);
    await mkdir(join(at, "out/ours"), { recursive: true });
    await mkdir(join(at, "out/theirs"));
    for (const path of ["", "out", "out/ours"]) await chmod(join(at, path), 0o777);
    await chmod(join(at, "out/theirs"), 0o555);
    // The superuser may write everywhere.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const child = [await childScript(script), service.baseUrl, at];
    const { stdout } = await promisify(execFile)(process.execPath, child, nobody);
    expect(JSON.parse(stdout)).toEqual({
      fulfilled: 50,
      rejected: 50,
      said: ['The folder "/out/theirs" cannot be written to: this process may not write there.'],
    });
    expect(service.requests.length).toBe(50);
    expect(await readdir(join(at, "out/theirs"))).toEqual([]);
    const ours = await readdir(join(at, "out/ours"));
    expect(ours.filter((name) => !/^\d+\.pdf$/.test(name))).toEqual([]);
  },
);
