// Everything that makes many documents: what users would write by hand, and the runs of this package. A pump makes documents until
// `next` returns no number, and reports the length of each, and how long it took, if it is known.
import { writeFile } from "node:fs/promises";
import { contenders, ourBytes, peers } from "./contenders.mjs";
import { toFile } from "./to-file.mjs";

export const generateMany = "template-pdf generateMany";

/** The loops that `generateMany` is compared with: undici's fastest call, and the one that most would write. */
export const bareLoops = { dispatch: "undici dispatch", request: "undici request" };

/** The contenders of documents per second. */
export const loops = [...Object.values(bareLoops), "global fetch", ourBytes, generateMany];

/** The ways to save each document to a file of its own, in the order of the table. The last two are runs. */
export const writers = {
  "pool, writeFile": async (pdf, path) => writeFile(path, await pdf.bytes()),
  "pool, writeFile and sync": async (pdf, path) => writeFile(path, await pdf.bytes(), { flush: true }),
  "pool, saveTo()": (pdf, path) => pdf.saveTo(path),
  "generateMany, saveTo()": undefined,
  "runBulk, folder()": undefined,
};

/** The dispatchers of HTTP/1.1 and HTTP/2 that a caller may pass; without one, the client has its own agent. */
export const dispatchers = {
  "own agent": () => undefined,
  "HTTP/1.1": ({ Agent }) => new Agent(),
  "HTTP/2": ({ Agent }) => new Agent({ allowH2: true }),
  // Undici shares a connection between POSTs only if it may send each of them twice.
  "HTTP/2, shared": ({ Agent }) =>
    new Agent({ allowH2: true, pipelining: 100 }).compose(
      (dispatch) => (options, handler) => dispatch({ ...options, idempotent: true }, handler),
    ),
};

/** Opens a contender by its name. */
export async function openPump(name, job) {
  // Each contender loads only what it needs itself, because its memory is measured.
  const ofPeers = peers.includes(name) ? (await import("../peers/contenders.mjs")).contenders : {};
  const one = contenders[name] ?? toFile[name] ?? ofPeers[name];
  if (one) return poolOf(await one(job), job.inFlight);

  const { TemplatePdf } = await import("template-pdf");
  const { origin, apiKey, uid, values, folder } = job;
  const dispatcher = dispatchers[name]?.(await import("undici"));
  const client = new TemplatePdf({ baseUrl: origin, apiKey, ...(dispatcher && { dispatcher }) });
  if (name in dispatchers) {
    return poolOf(async () => (await client.generate(uid, values).bytes()).length, job.inFlight);
  }
  const save = writers[name];
  if (!save) return openRun(name, client, job);
  return poolOf(async (_slot, number) => {
    await save(client.generate(uid, { ...values, number }), `${folder}/${number}.pdf`);
    return Number(uid);
  }, job.inFlight);
}

/** So many lanes, each of which takes the next document as soon as it has one. */
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
  /** Each job has a number of its own, as an invoice has. */
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
    // Its sink only reads: what the journal costs is measured, not a disk full of documents.
    runBulk: () => durable({ put: (_key, pdf) => pdf.bytes() }),
  };
  if (!runs[name]) throw new Error(`There is no contender "${name}".`);
  return runs[name]();
}
