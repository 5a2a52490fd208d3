// One contender in a process of its own: saves one document to a file, and reports what that took.
// node big-body-contender.mjs <name> <origin> <uid> <path>
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const [name, origin, uid, path] = process.argv.slice(2);
const url = `${origin}/api/v1/templates/${uid}/generate-sync`;
const request = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };

const contenders = {
  "undici stream": async () => {
    const { stream } = await import("undici");
    await stream(url, request, () => createWriteStream(path));
  },
  // What saveTo() promises beside: what it wrote is on the disk, not on its way there.
  "undici stream, synced": async () => {
    const { stream } = await import("undici");
    await stream(url, request, () => createWriteStream(path, { flush: true }));
  },
  "global fetch": async () => {
    const answer = await fetch(url, request);
    await pipeline(Readable.fromWeb(answer.body), createWriteStream(path));
  },
  "saveTo() by undici": () => save({}),
  "saveTo() by fetch": () => save({ fetch: globalThis.fetch }),
};

async function save(options) {
  const { TemplatePdf } = await import("template-pdf");
  await new TemplatePdf({ baseUrl: origin, apiKey: "key-of-the-bench", ...options })
    .generate(uid, {})
    .saveTo(path);
}

const startedAt = performance.now();
await contenders[name]();
const { user, system } = process.cpuUsage();
process.send?.({
  seconds: (performance.now() - startedAt) / 1e3,
  cpuSeconds: (user + system) / 1e6,
  userSeconds: user / 1e6,
  peakMegabytes: process.resourceUsage().maxRSS / 1e3,
});
process.disconnect?.();
process.exit();
