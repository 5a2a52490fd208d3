import { chmod, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { small } from "../bulk/many.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { childScript } from "../files/child.ts";
import { outputOf } from "../support/programs.ts";
import { Service, withLength } from "../support/service.ts";

/** Runs fifty jobs into each of two folders as an ordinary user, and prints each distinct error message. */
const script = `
  import { folder, runBulk } from "./src/bulk/index.ts";
  const [baseUrl, at] = process.argv.slice(2);
  if (process.getuid() === 0) process.setuid(65_534);
  const client = new TemplatePdf({ baseUrl, apiKey: "k", fetch: globalThis.fetch });
  const jobs = Array.from({ length: 100 }, (_, n) => ({ template: "t", values: { n, inner: n % 2 ? "theirs" : "ours" } }));
  const said = new Set();
  const sink = folder("{{inner}}/{{n}}.pdf", { root: at + "/out" });
  const onResult = ({ error }) => error && said.add(error.message.replace(at, ""));
  const { fulfilled, rejected } = await runBulk({ client, jobs, sink, journal: at + "/run.journal", onResult });
  console.log(JSON.stringify({ fulfilled, rejected, said: [...said] }));
`;

it.runIf(process.platform !== "win32")(
  "a run sends nothing for a folder that it cannot write to",
  async () => {
    const service = await Service.start(withLength(small));
    const at = temporaryFolder();
    await mkdir(join(at, "out/ours"), { recursive: true });
    await mkdir(join(at, "out/theirs"));
    for (const path of ["", "out", "out/ours"]) await chmod(join(at, path), 0o777);
    await chmod(join(at, "out/theirs"), 0o555);
    const args = [await childScript(script), service.baseUrl, at];
    expect(JSON.parse(await outputOf(process.execPath, args, { cwd: at }))).toEqual({
      fulfilled: 50,
      rejected: 50,
      said: [
        'The folder "/out/theirs" is not writable: this process does not have permission to write there.',
      ],
    });
    expect(service.requests.length).toBe(50);
    expect(await readdir(join(at, "out/theirs"))).toEqual([]);
    expect(await readdir(join(at, "out/ours"))).toHaveLength(50);
  },
);
