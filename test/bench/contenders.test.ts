import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allContenders, contenders, peers } from "../../bench/measure/contenders.mjs";
import { pdfOf } from "../../bench/shared/pdf-of.mjs";

const sizes = [2_000, 1_000_000];
let server: ChildProcess;
let origin: string;
let folder: string;

beforeAll(async () => {
  server = fork(new URL("../../bench/servers/raw.mjs", import.meta.url));
  const [port] = await once(server, "message");
  origin = `http://127.0.0.1:${port}`;
  folder = await mkdtemp(join(tmpdir(), "template-pdf-contenders-"));
});

afterAll(async () => {
  server.kill();
  await rm(folder, { recursive: true });
});

const jobAt = (origin: string, uid: string) => ({
  origin,
  uid,
  apiKey: "key-of-the-test",
  values: { total: "£1,000,000" },
  folder,
});

// Those of the other packages are measured only where these are installed; each figure of a run has checked the length.
type Contender = (job: object) => Promise<(slot: number) => Promise<number>>;

describe.each(Object.entries<Contender>(contenders))("%s", (_name, contender) => {
  it.each(sizes)("fetches a whole document of %i bytes", async (bytes) => {
    const fetchOne = await contender(jobAt(origin, String(bytes)));
    expect(await fetchOne(0)).toBe(bytes);
    expect(await fetchOne(0)).toBe(bytes);
  });

  it("sends the values and the key", async () => {
    const requests: unknown[] = [];
    const recorder = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      const { authorization, "content-type": type, "content-length": length } = request.headers;
      requests.push({
        line: `${request.method} ${request.url}`,
        authorization,
        type,
        length,
        body: `${body}`,
      });
      response.writeHead(200, { "content-type": "application/pdf" }).end(pdfOf(500));
    }).listen(0, "127.0.0.1");
    await once(recorder, "listening");
    const { port } = recorder.address() as AddressInfo;
    const fetchOne = await contender(jobAt(`http://127.0.0.1:${port}`, "invoice"));
    expect(await fetchOne(0)).toBe(500);
    recorder.close().closeAllConnections();
    const body = '{"total":"£1,000,000"}';
    expect(requests).toEqual([
      {
        line: "POST /api/v1/templates/invoice/generate-sync",
        authorization: "API-Key key-of-the-test",
        type: "application/json",
        length: String(Buffer.byteLength(body)),
        body,
      },
    ]);
  });

  it("rejects where the server refuses", async () => {
    const fetchOne = await contender(jobAt(origin, "no-such-template"));
    await expect(fetchOne(0)).rejects.toThrow();
  });
});

it.each(["undici dispatch, writeFile", "template-pdf saveTo()"])("%s writes the document", async (name) => {
  const fetchOne = await contenders[name]?.(jobAt(origin, "2000"));
  await fetchOne?.(7);
  expect(pdfOf(2_000).equals(await readFile(join(folder, "7.pdf")))).toBe(true);
});

it("ours come last, after the packages of others", () => {
  expect([...allContenders].sort()).toEqual([...Object.keys(contenders), ...peers].sort());
  expect(allContenders.at(0)).toBe("undici dispatch");
  expect(allContenders.slice(-5).every((name) => name.startsWith("template-pdf "))).toBe(true);
});
