import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { outputOf } from "../support/programs.ts";
import { pdfOf } from "../support/service.ts";
import { useWorkspace } from "./mocks/workspace.ts";

/** Tests the client with every `fetch` that docs/guides/proxies-and-tls.md lists. */

/** The packages that work on Node 20. */
const workspace = useWorkspace(
  ...[
    "axios@1",
    "cross-fetch@4",
    "got@14",
    "ky@1",
    "make-fetch-happen@14",
    "minipass-fetch@4",
    "node-fetch@3",
  ],
  ...[
    "node-fetch-2@npm:node-fetch@2",
    "node-fetch-native@1",
    "ofetch@1",
    "undici-6@npm:undici@6",
    "undici@7",
  ],
  ...["whatwg-fetch@3", "xhr2@0.2"],
);

/** The code that creates each `fetch`. */
const fetches = {
  "Node's": "globalThis.fetch",
  "undici 6": 'require("undici-6").fetch',
  "undici 7": 'require("undici").fetch',
  ky: `(url, init) => ky(url, { ...init, throwHttpErrors: false, retry: 0, timeout: false })`,
  ofetch: `(url, init) => ofetch.raw(url, { ...init, responseType: "stream", ignoreResponseError: true, retry: 0 })`,
  "node-fetch 2": 'require("node-fetch-2")',
  "node-fetch 3": '(await import("node-fetch")).default',
  "cross-fetch": 'require("cross-fetch")',
  "node-fetch-native": '(await import("node-fetch-native/node")).fetch',
  "make-fetch-happen": 'require("make-fetch-happen")',
  "minipass-fetch": 'require("minipass-fetch")',
  axios: `async (url, { method, headers, body, signal }) => {
    const sent = { url, method, data: body, headers: Object.fromEntries(headers), signal };
    const { status, headers: received, data } = await axios.request(
      { ...sent, responseType: "stream", maxRedirects: 0, validateStatus: () => true },
    );
    return { status, headers: new Headers(received), body: data };
  }`,
  got: `async (url, { method, headers, body, signal }) => {
    const sent = { method, headers: Object.fromEntries(headers), body, signal, retry: { limit: 0 } };
    const answer = await got(url, { ...sent, responseType: "buffer", throwHttpErrors: false, followRedirect: false });
    return { status: answer.statusCode, headers: new Headers(answer.headers), arrayBuffer: async () => answer.body };
  }`,
  "whatwg-fetch": 'require("whatwg-fetch").fetch',
} as const;

/** Whose body has no progress. */
const wholes: readonly string[] = ["got", "whatwg-fetch"];

const program = `
  import { createRequire } from "node:module";
  import { TemplatePdf } from "template-pdf";
  const require = createRequire(import.meta.url);
  const { default: ky } = await import("ky");
  const { ofetch } = await import("ofetch");
  const { default: axios } = await import("axios");
  const { default: got } = await import("got");
  const nodes = { fetch, Headers, Request, Response };
  // whatwg-fetch replaces the globals, which the packages above have already read.
  if (process.argv[2] === "whatwg-fetch") globalThis.XMLHttpRequest = require("xhr2");
  const made = await FETCHES[process.argv[2]]();
  Object.assign(globalThis, nodes);
  const limits = { stall: 300, firstByte: 3_000 };
  const pdfs = new TemplatePdf({ baseUrl: process.argv[3], apiKey: "key", fetch: made, timeouts: limits });
  const outcomeOf = (promise) => promise.then((result) => result, ({ name, status, phase, attempts }) => ({ name, status, phase, attempts }));
  const bytes = (uid, options) => outcomeOf(pdfs.generate(uid, { total: "£5" }, options).bytes().then(({ length }) => length));
  let progress = 0;
  const outcomes = {
    whole: await bytes("whole", { onProgress: () => progress++ }),
    hasProgress: progress > 1,
    missing: await bytes("missing"),
    redirected: await bytes("redirected"),
    truncated: await bytes("truncated", { retry: false }),
    stalled: await bytes("endless", { retry: false, timeouts: { firstByte: 300 } }),
  };
  const document = await pdfs.generate("whole", {});
  outcomes.filename = document.filename;
  let read = 0;
  for await (const chunk of document) {
    read += chunk.length;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  outcomes.iterated = read;
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 100);
  outcomes.aborted = await bytes("endless", { signal: leaving.signal });
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(JSON.stringify(outcomes));
  process.exit();
`;

const pdf = pdfOf(3_000_000);
/** The paths of the requests. */
const requested: string[] = [];
/** The number of endless responses that are open. */
let open = 0;
const server = createServer(async (request, response) => {
  const uid = request.url?.split("/").at(-2) ?? "";
  requested.push(uid);
  await once(request.resume(), "end");
  const { port } = server.address() as AddressInfo;
  const location = `http://127.0.0.1:${port}/other/whole/generate-sync`;
  if (uid === "redirected") response.writeHead(307, { location }).end();
  else if (uid === "missing") response.writeHead(404).end('{"message":"no such template"}');
  else response.writeHead(200, { "content-disposition": 'attachment; filename="invoice 7.pdf"' });
  if (uid === "whole") response.end(pdf);
  if (uid === "truncated")
    response.write(pdf.subarray(0, 100_000), () => setImmediate(() => response.destroy()));
  if (uid !== "endless") return;
  open++;
  response.on("close", () => open--).write(pdf.subarray(0, 100_000));
});
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it.each(Object.keys(fetches))("the client works with the fetch of %s", async (name) => {
  const project = join(workspace.folder, "project");
  mkdirSync(project, { recursive: true });
  const table = Object.entries(fetches).map(([key, code]) => `${JSON.stringify(key)}: async () => (${code})`);
  writeFileSync(join(project, "main.mjs"), `const FETCHES = { ${table.join(", ")} };${program}`);
  requested.length = 0;
  const { port } = server.address() as AddressInfo;
  const printed = await outputOf(process.execPath, ["main.mjs", name, `http://127.0.0.1:${port}`], {
    cwd: project,
  });
  const isWhole = wholes.includes(name);
  const failed = (error: string, status?: number) => ({ name: error, status, attempts: 1 });
  expect(JSON.parse(printed)).toEqual({
    whole: pdf.length,
    hasProgress: !isWhole,
    missing: failed("NotFoundError", 404),
    // A fetch on XMLHttpRequest follows it, so its status is not known.
    redirected: failed("ApiError", name === "whatwg-fetch" ? 0 : 307),
    truncated: isWhole ? failed("ConnectionError") : failed("TruncatedPdfError", 200),
    stalled: isWhole
      ? { name: "TimeoutError", phase: "firstByte", attempts: 1 }
      : { name: "TimeoutError", phase: "stall", status: 200, attempts: 1 },
    filename: "invoice 7.pdf",
    iterated: pdf.length,
    aborted: { name: "AbortError" },
  });
  expect(open, "the number of connections that are still open").toBe(0);
  // A retry would render twice.
  const renders = requested.filter((uid) => uid === "whole").length;
  expect(renders).toBe(name === "whatwg-fetch" ? 3 : 2);
});
