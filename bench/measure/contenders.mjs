// The clients for a single document, with idiomatic code, the same request and kept connections. A contender opens a job and returns
// a function that fetches one complete document and returns its length. The function receives a slot, which is unique among calls in
// flight, and rejects unless the status is 200. Packages that only benchmarks need are in ../peers; contenders for many documents are
// in many.mjs.

/** The base of comparison. */
export const yardstick = "undici dispatch";

/** The most common call of this package. */
export const ourBytes = "template-pdf bytes()";

/** The two contenders that need precise figures for the first goals, with their names on the page. */
export const compared = new Map([
  [yardstick, "bare dispatch"],
  [ourBytes, "`bytes()`"],
]);

/** The contenders other than this package. */
const others = {
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
    return async () => {
      const { statusCode, body } = await request(url, { dispatcher, ...requestOf(job) });
      checkStatus(statusCode);
      return (await body.bytes()).length;
    };
  },

  "undici fetch": async (job) => fetchBy((await import("undici")).fetch, job),

  "node:http": async (job) => {
    const isSecure = job.origin.startsWith("https:");
    const { Agent, request } = isSecure ? await import("node:https") : await import("node:http");
    const agent = new Agent({ keepAlive: true });
    const url = new URL(urlOf(job));
    return () =>
      new Promise((resolve, reject) => {
        const { body, ...options } = requestOf(job);
        const sent = request(url, { agent, ...options }, (answer) => {
          const chunks = [];
          answer.on("data", (chunk) => chunks.push(chunk));
          answer.on("error", reject);
          answer.on("end", () => {
            if (answer.statusCode === 200) resolve(Buffer.concat(chunks).length);
            else reject(refusal(answer.statusCode));
          });
        });
        sent.on("error", reject);
        sent.end(body);
      });
  },

  "global fetch": (job) => fetchBy(fetch, job),
};

const ignore = () => {};

/** The output methods of this package, and client options. */
const outputs = {
  [ourBytes]: { length: async (pdf) => (await pdf.bytes()).length },
  "template-pdf bytes(), hooks": {
    length: async (pdf) => (await pdf.bytes()).length,
    options: { hooks: { request: ignore, response: ignore, retry: ignore, error: ignore } },
  },
  "template-pdf buffer()": { length: async (pdf) => (await pdf.buffer()).length },
  "template-pdf blob()": { length: async (pdf) => (await pdf.blob()).size },
  "template-pdf stream()": {
    length: async (pdf) => {
      let length = 0;
      for await (const chunk of await pdf.stream()) length += chunk.length;
      return length;
    },
  },
  "template-pdf saveTo()": { length: async (pdf, path) => (await pdf.saveTo(path)).bytes },
};

const ours = Object.entries(outputs).map(([name, { length, options }]) => {
  const open = async ({ origin, apiKey, uid, values, folder }) => {
    const { TemplatePdf } = await import("template-pdf");
    const pdfs = new TemplatePdf({ baseUrl: origin, apiKey, ...options });
    return (slot) => length(pdfs.generate(uid, values), `${folder}/${slot}.pdf`);
  };
  return [name, open];
});

export const contenders = { ...others, ...Object.fromEntries(ours) };

/** The contenders in ../peers. Their packages are installed only when they are measured. */
export const peers = ["axios", "got", "ky", "ofetch"];

/** All contenders in the order of the tables. */
export const allContenders = [...Object.keys(others), ...peers, ...Object.keys(outputs)];

/** Returns whether a contender is this package. */
export function isOurs(name) {
  return name.startsWith("template-pdf ");
}

export function urlOf({ origin, uid }) {
  return `${origin}/api/v1/templates/${uid}/generate-sync`;
}

export function headersOf({ apiKey }) {
  return { authorization: `API-Key ${apiKey}`, "content-type": "application/json" };
}

/** Returns the request options for undici, `fetch` and `node:http`. */
export function requestOf(job) {
  return { method: "POST", headers: headersOf(job), body: JSON.stringify(job.values) };
}

async function openDispatch(job) {
  const { Agent } = await import("undici");
  const agent = new Agent();
  const { origin } = job;
  const path = new URL(urlOf(job)).pathname;
  const headers = Object.entries(headersOf(job)).flat();
  return () =>
    new Promise((resolve, reject) => {
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
            else reject(refusal(status));
          },
          onResponseError(_, error) {
            reject(error);
          },
        },
      );
    });
}

function fetchBy(fetch, job) {
  const url = urlOf(job);
  return async () => {
    const answer = await fetch(url, requestOf(job));
    checkStatus(answer.status);
    return (await answer.arrayBuffer()).byteLength;
  };
}

function checkStatus(status) {
  if (status !== 200) throw refusal(status);
}

function refusal(status) {
  return new Error(`The server responded with status ${status}.`);
}
