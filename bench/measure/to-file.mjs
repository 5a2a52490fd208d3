// The contenders that save one document to a file, for documents larger than memory.
import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { requestOf, urlOf } from "./contenders.mjs";

export const fileName = "big.pdf";
export const bareStream = "undici stream";

export const toFile = {
  [bareStream]: (job) => byUndici(job, {}),
  // Waits until the document is synced, like `saveTo()`.
  "undici stream, synced": (job) => byUndici(job, { flush: true }),
  "global fetch to a file": (job) =>
    saving(job, async (path) => {
      const answer = await fetch(urlOf(job), requestOf(job));
      if (answer.body) await pipeline(Readable.fromWeb(answer.body), createWriteStream(path));
    }),
  "saveTo() by undici": (job) => bySaveTo(job, {}),
  "saveTo() by fetch": (job) => bySaveTo(job, { fetch: globalThis.fetch }),
};

async function byUndici(job, options) {
  const { stream } = await import("undici");
  return saving(job, (path) => stream(urlOf(job), requestOf(job), () => createWriteStream(path, options)));
}

async function bySaveTo(job, options) {
  const { TemplatePdf } = await import("template-pdf");
  const client = new TemplatePdf({ baseUrl: job.origin, apiKey: job.apiKey, ...options });
  return saving(job, (path) => client.generate(job.uid, job.values).saveTo(path));
}

function saving({ folder }, save) {
  const path = `${folder}/${fileName}`;
  return async () => {
    await save(path);
    return (await stat(path)).size;
  };
}
