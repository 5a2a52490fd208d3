// One huge document to a file, ours beside bare undici and fetch: peak memory, CPU and time, every byte compared.
// `npm run big-body`, or node bench/big-body.mjs [MiB] [folder]
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWhole } from "./big-body-content.mjs";

const size = Number(process.argv[2] ?? 2_048) * 1024 * 1024;
const folder = await mkdtemp(join(process.argv[3] ?? tmpdir(), "template-pdf-big-body-"));
const path = join(folder, "big.pdf");
const names = ["undici stream", "global fetch", "saveTo() by undici", "saveTo() by fetch"];

const file = (name) => new URL(name, import.meta.url).pathname;
const server = fork(file("big-body-server.mjs"));
try {
  const [port] = await once(server, "message");
  console.log(`${size / 1024 / 1024} MiB to a file, Node ${process.version}`);
  for (const framing of ["", "-chunked"]) {
    for (const name of names) {
      const args = [name, `http://127.0.0.1:${port}`, `${size}${framing}`, path];
      const contender = fork(file("big-body-contender.mjs"), args);
      const [reading] = await Promise.race([once(contender, "message"), once(contender, "exit")]);
      if (typeof reading !== "object" || !reading) throw new Error(`${name} failed`);
      const { seconds, cpuSeconds, peakMegabytes } = reading;
      if (!(await isWhole(path, size))) throw new Error(`${name} wrote something else than was sent`);
      await rm(path);
      const numbers = `${peakMegabytes.toFixed(0).padStart(5)} MB peak  ${cpuSeconds.toFixed(2).padStart(6)} s CPU  ${seconds.toFixed(1).padStart(5)} s`;
      console.log(`${(name + framing.replace("-", ", ")).padEnd(28)} ${numbers}`);
    }
  }
} finally {
  server.kill();
  await rm(folder, { recursive: true, force: true });
}
