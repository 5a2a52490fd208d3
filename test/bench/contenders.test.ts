import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allContenders, contenders, peers } from "../../bench/measure/contenders.mjs";
import { pdfOf } from "../../bench/shared/pdf-of.mjs";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

// The packages of others are installed only for a measurement, which checks the length of each document itself.
type Contender = (job: object) => Promise<(slot: number) => Promise<number>>;

const folder = makeTemporaryFolder("contenders");
let server: ChildProcess;
let origin: string;

beforeAll(async () => {
  server = fork(new URL("../../bench/servers/raw.mjs", import.meta.url));
  const [port] = await once(server, "message");
  origin = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.kill();
  folder.remove();
});

const jobOf = (uid: string) => ({ origin, uid, apiKey: "key", values: { total: "1" }, folder: folder.path });

describe.each(Object.entries<Contender>(contenders))("the contender %s", (name, contender) => {
  it.each([2_000, 1_000_000])("fetches a whole document of %i bytes", async (bytes) => {
    const fetchOne = await contender(jobOf(String(bytes)));
    expect(await fetchOne(7)).toBe(bytes);
    if (/saveTo|writeFile/.test(name)) {
      expect(pdfOf(bytes).equals(await readFile(join(folder.path, "7.pdf")))).toBe(true);
    }
  });

  it("rejects if the server refuses", async () => {
    const fetchOne = await contender(jobOf("no-such-template"));
    await expect(fetchOne(0)).rejects.toThrow();
  });
});

it("the comparison measures every contender, bare dispatch first", () => {
  expect([...allContenders].sort()).toEqual([...Object.keys(contenders), ...peers].sort());
  expect(allContenders[0]).toBe("undici dispatch");
});
