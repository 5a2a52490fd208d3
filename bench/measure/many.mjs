// The contenders for many documents: hand-written pools and the runs of this package. A pump generates documents until `next` returns
// no number, and reports the length of each document and, if known, its duration.
import { writeFile } from "node:fs/promises";
import { contenders, ourBytes, peers } from "./contenders.mjs";

export const generateMany = "template-pdf generateMany";

/** The bare loops for comparison: the fastest API of undici, and the most common one. */
export const bareLoops = ["undici dispatch", "undici request"];

/** The contenders for documents per second. */
export const loops = [...bareLoops, "global fetch", ourBytes, generateMany];

/** The contenders that save each document to a file, in the order of the table. The last two are runs. */
export const writers = {
  "pool, writeFile": async (pdf, path) => writeFile(path, await pdf.bytes()),
  "pool, writeFile and sync": async (pdf, path) => writeFile(path, await pdf.bytes(), { flush: true }),
  "pool, saveTo()": (pdf, path) => pdf.saveTo(path),
  "generateMany, saveTo()": undefined,
  "runBulk, folder()": undefined,
};

/** Opens a contender by name. */
export async function openPump(name, job) {
  // Loads only what the contender needs, because its memory is measured.
  const ofPeers = peers.includes(name) ? (await import("../peers/contenders.mjs")).contenders : {};
  const one = contenders[name] ?? ofPeers[name];
  if (one) return poolOf(await one(job), job.inFlight);

  const { TemplatePdf } = await import("template-pdf");
  const { origin, apiKey, uid, values, folder } = job;
  const client = new TemplatePdf({ baseUrl: origin, apiKey });
  const save = writers[name];
  if (!save) return openRun(name, client, job);
  return poolOf(async (_slot, number) => {
    await save(client.generate(uid, { ...values, number }), `${folder}/${number}.pdf`);
    return Number(uid);
  }, job.inFlight);
}

/** Runs a number of loops, each of which takes the next document when it has finished one. */
function poolOf(fetchOne, lanes) {
  return async (next, onDocument) => {
    const lane = async (slot) => {
      let at = performance.now();
      for (let number = next(); number !== undefined; number = next()) {
        const bytes = await fetchOne(slot, number);
        const now = performance.now();
        onDocument(bytes, now - at);
        at = now;
      }
    };
    await Promise.all(Array.from({ length: Number(lanes) }, (_, slot) => lane(slot)));
  };
}

async function openRun(name, client, { uid, values, folder, inFlight: concurrency }) {
  const bulk = await import("template-pdf/bulk");
  /** Each job has a unique number. */
  function* jobsOf(next) {
    for (let number = next(); number !== undefined; number = next()) {
      yield { template: uid, values: { ...values, number } };
    }
  }
  const many = (options) => async (next, onDocument) => {
    for await (const result of bulk.generateMany(client, jobsOf(next), { concurrency, ...options })) {
      if (result.status === "rejected") throw result.error;
      onDocument(result.value.length);
    }
  };
  const durable = (sink) => async (next, onDocument) => {
    const { rejected, failures } = await bulk.runBulk({
      client,
      jobs: jobsOf(next),
      key: (job) => job.values.number,
      sink,
      journal: `${folder}/run.journal`,
      concurrency,
      onResult: () => onDocument(Number(uid)),
    });
    if (rejected > 0) throw new Error(failures[0]?.message);
  };
  const saveTo = async (pdf, job) => ({
    length: (await pdf.saveTo(`${folder}/${job.values.number}.pdf`)).bytes,
  });
  const runs = {
    [generateMany]: () => many({}),
    "generateMany, saveTo()": () => many({ use: saveTo }),
    "runBulk, folder()": () => durable(bulk.folder("{{number}}.pdf", { root: folder })),
    // The sink only reads, to measure the journal without the disk.
    runBulk: () => durable({ put: (_key, pdf) => pdf.bytes() }),
  };
  if (!runs[name]) throw new Error(`There is no contender "${name}".`);
  return runs[name]();
}
