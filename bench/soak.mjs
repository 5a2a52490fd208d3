import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { TemplatePdf } from "template-pdf";
import { startProgram } from "./servers/start.mjs";
import { collectGarbage } from "./shared/collect-garbage.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { documents: 100_000 };

export const usage = `Measures what many calls with one signal, faults and retries leave behind: listeners, timers, sockets and memory.

  --documents <n>   number of documents (default: 100000)`;

const inFlight = 20;

export async function run({ documents }) {
  const baseUrl = await startProgram("faults.mjs");
  const counts = { request: 0, response: 0, retry: 0, error: 0 };
  const hooks = Object.fromEntries(Object.keys(counts).map((name) => [name, () => counts[name]++]));
  // With these retries, every call succeeds, so the counts show only leaks.
  const pdfs = new TemplatePdf({ baseUrl, apiKey: "soak-key", retry: { limit: 6 }, hooks });
  const { signal } = new AbortController();
  const startedAt = performance.now();
  // The server counts sockets, because this process does not list idle ones.
  const count = async () => (await fetch(baseUrl)).json();
  const printRow = printTable([
    `${documents} documents`,
    "s",
    "listeners",
    "timers",
    "sockets",
    "RSS MB",
    "heap MB",
  ]);
  const print = async (title) => {
    const { connections } = await count();
    collectGarbage();
    const { rss, heapUsed } = process.memoryUsage();
    const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const listeners = getEventListeners(signal, "abort").length;
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const megabytes = [rss, heapUsed].map((bytes) => (bytes / 1e6).toFixed(1));
    printRow([title, seconds, listeners, timers, connections, ...megabytes]);
  };

  let [done, failed] = [0, 0];
  const lane = async (until) => {
    while (done < until) {
      const isLarge = ++done % 10 === 0;
      const pending = pdfs.generate(isLarge ? "large" : "small", { number: done }, { signal });
      const bytes = await pending.bytes().catch(() => []);
      if (bytes.length !== (isLarge ? 50_000 : 2_000)) failed++;
    }
  };
  const upTo = (until) => Promise.all(Array.from({ length: inFlight }, () => lane(until)));
  await print("before");
  await upTo(documents / 10);
  await print("at 10 %");
  await upTo(documents);
  await print("at 100 %");
  await pdfs.close();
  // The server notices closed sockets with a delay.
  for (let polls = 0; polls < 100 && (await count()).connections > 0; polls++) await delay(20);
  await print("closed");
  const { requests } = await count();
  console.log(
    `${documents - failed} whole, ${failed} failed, ${requests} requests; hooks: ${JSON.stringify(counts)}`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}
