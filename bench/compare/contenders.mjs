// @ts-check
// Everyone who fetches a document, each as its own users would write it: the same job, asked for with the same
// headers, on connections that stay open. The packages that only this benchmark knows are in ../peers.

/**
 * @typedef {object} Job
 * @property {string} origin
 * @property {string} uid - of the template
 * @property {string} apiKey
 * @property {Record<string, unknown>} values
 * @property {string} folder - where documents are saved
 */

/**
 * Fetches one whole document, and gives its length; rejects on every status but 200.
 *
 * @typedef {(slot: number) => Promise<number>} Fetcher - slot: no two documents on their way have the same
 */

/** @typedef {(job: Job) => Fetcher | Promise<Fetcher>} Contender */

/** What everything is compared with. */
export const yardstick = "undici dispatch";

/** Ours as most would call it. */
export const ourBytes = "template-pdf bytes()";

/** The two that the first goals compare, where a few hundredths matter, and what the page calls them. */
export const compared = new Map([
  [yardstick, "bare dispatch"],
  [ourBytes, "`bytes()`"],
]);

/** @type {Readonly<Record<string, Contender>>} */
export const contenders = {
  [yardstick]: async (job) => {
    const dispatch = await openDispatch(job);
    return async () => (await dispatch()).length;
  },

  "undici dispatch, writeFile": async (job) => {
    const dispatch = await openDispatch(job);
    const { writeFile } = await import("node:fs/promises");
    return async (slot) => {
      const document = await dispatch();
      await writeFile(`${job.folder}/${slot}.pdf`, document);
      return document.length;
    };
  },

  "undici request": async (job) => {
    const { Agent, request } = await import("undici");
    const dispatcher = new Agent();
    const url = urlOf(job);
    const headers = headersOf(job);
    return async () => {
      const { statusCode, body } = await request(url, {
        dispatcher,
        method: "POST",
        headers,
        body: JSON.stringify(job.values),
      });
      checkStatus(statusCode);
      return (await body.bytes()).length;
    };
  },

  "undici fetch": async (job) => {
    const undici = await import("undici");
    return fetchBy(/** @type {any} */ (undici.fetch), job);
  },

  "node:http": async (job) => {
    const secure = job.origin.startsWith("https:");
    const { Agent, request } = secure ? await import("node:https") : await import("node:http");
    const agent = new Agent({ keepAlive: true });
    const url = new URL(urlOf(job));
    const headers = headersOf(job);
    return () =>
      new Promise((resolve, reject) => {
        const asked = request(url, { agent, method: "POST", headers }, (answer) => {
          /** @type {Buffer[]} */
          const chunks = [];
          answer.on("data", (chunk) => chunks.push(chunk));
          answer.on("error", reject);
          answer.on("end", () => {
            if (answer.statusCode !== 200) return reject(refused(answer.statusCode));
            resolve(Buffer.concat(chunks).length);
          });
        });
        asked.on("error", reject);
        asked.end(JSON.stringify(job.values));
      });
  },

  "global fetch": (job) => fetchBy(fetch, job),

  [ourBytes]: async (job) => {
    const generate = await openOurs(job);
    return async () => (await generate().bytes()).length;
  },

  "template-pdf bytes(), hooks": async (job) => {
    const ignore = () => {};
    const hooks = { request: ignore, response: ignore, retry: ignore, error: ignore };
    const generate = await openOurs(job, { hooks });
    return async () => (await generate().bytes()).length;
  },

  "template-pdf buffer()": async (job) => {
    const generate = await openOurs(job);
    return async () => (await generate().buffer()).length;
  },

  "template-pdf blob()": async (job) => {
    const generate = await openOurs(job);
    return async () => (await generate().blob()).size;
  },

  "template-pdf stream()": async (job) => {
    const generate = await openOurs(job);
    return async () => {
      let length = 0;
      for await (const chunk of await generate().stream()) length += chunk.length;
      return length;
    };
  },

  "template-pdf saveTo()": async (job) => {
    const generate = await openOurs(job);
    return async (slot) => (await generate().saveTo(`${job.folder}/${slot}.pdf`)).bytes;
  },
};

/** Names of the contenders in ../peers, in the order of the tables; those packages are installed only when wanted. */
export const peers = ["axios", "got", "ky", "ofetch"];

/** Every contender there is, in the order of the tables. */
export const allContenders = [
  ...Object.keys(contenders).filter((name) => !isOurs(name)),
  ...peers,
  ...Object.keys(contenders).filter(isOurs),
];

/**
 * Whether a contender is this package.
 *
 * @param {string} name
 */
export function isOurs(name) {
  return name.startsWith("template-pdf ");
}

/** @param {Pick<Job, "origin" | "uid">} job */
export function urlOf({ origin, uid }) {
  return `${origin}/api/v1/templates/${uid}/generate-sync`;
}

/** @param {Pick<Job, "apiKey">} job */
export function headersOf({ apiKey }) {
  return { authorization: `API-Key ${apiKey}`, "content-type": "application/json" };
}

/** @param {Job} job */
async function openDispatch(job) {
  const { Agent } = await import("undici");
  const agent = new Agent();
  const { origin } = job;
  const path = new URL(urlOf(job)).pathname;
  const headers = Object.entries(headersOf(job)).flat();
  /** @returns {Promise<Buffer>} */
  return () =>
    new Promise((resolve, reject) => {
      /** @type {Buffer[]} */
      const chunks = [];
      let status = 0;
      agent.dispatch(
        { origin, path, method: "POST", headers, body: JSON.stringify(job.values) },
        {
          onRequestStart() {},
          onResponseStart(_, statusCode) {
            status = statusCode;
          },
          onResponseData(_, chunk) {
            chunks.push(chunk);
          },
          onResponseEnd() {
            if (status === 200) resolve(Buffer.concat(chunks));
            else reject(refused(status));
          },
          onResponseError(_, error) {
            reject(error);
          },
        },
      );
    });
}

/**
 * @param {typeof fetch} fetch
 * @param {Job} job
 * @returns {Fetcher}
 */
function fetchBy(fetch, job) {
  const url = urlOf(job);
  const headers = headersOf(job);
  return async () => {
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(job.values) });
    checkStatus(answer.status);
    return (await answer.arrayBuffer()).byteLength;
  };
}

/**
 * @param {Job} job
 * @param {import("template-pdf").ClientOptions} [options]
 */
async function openOurs({ origin, apiKey, uid, values }, options) {
  const { TemplatePdf } = await import("template-pdf");
  const pdfs = new TemplatePdf({ baseUrl: origin, apiKey, ...options });
  return () => pdfs.generate(uid, values);
}

/** @param {number} status */
function checkStatus(status) {
  if (status !== 200) throw refused(status);
}

/** @param {number | undefined} status */
function refused(status) {
  return new Error(`The server answered with status ${status}.`);
}
