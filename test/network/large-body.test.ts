import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isWhole } from "../../bench/servers/big-content.mjs";
import { temporaryFolder } from "../client/every-form.ts";
import { runChild, writeChild } from "./child.ts";

const MiB = 1024 * 1024;
const size = 160 * MiB;
/** Node itself takes about 60 MiB of it. `npm run bench -- big-body` measures 2 GiB beside bare undici. */
const mostMemory = 200 * MiB;

const server = fork(fileURLToPath(new URL("../../bench/servers/big.mjs", import.meta.url)));
let port: number;
beforeAll(async () => {
  [port] = (await once(server, "message")) as [number];
});
afterAll(() => server.kill());

it.each([
  ["with a length, by undici", "undici", `${size}`],
  ["in chunks, by fetch", "fetch", `${size}-chunked`],
])("saves a document of 160 MiB %s without holding it in memory", async (_way, transport, uid) => {
  const path = join(temporaryFolder(), "large.pdf");
  const script = await writeChild(`
      const [port, uid, path, transport] = argv;
      const options = transport === "fetch" ? { fetch: globalThis.fetch } : {};
      const pdfs = new TemplatePdf({ baseUrl: "http://127.0.0.1:" + port, apiKey: "key-of-the-tests", ...options });
      const { bytes } = await pdfs.generate(uid, {}).saveTo(path);
      const memory = process.resourceUsage().maxRSS * 1024;
      console.log(JSON.stringify({ transport: pdfs.transport, bytes, memory }));
      await pdfs.close();`);
  const saved = await runChild(script, [port, uid, path, transport]);
  expect(saved).toMatchObject({ transport, bytes: size });
  expect((saved as { memory: number }).memory).toBeLessThan(mostMemory);
  expect(await isWhole(path, size)).toBe(true);
});
