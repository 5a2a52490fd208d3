import type { ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { request } from "undici";
import { expect, inject, it } from "vitest";
import { installPeers } from "../../bench/compare/packages.mjs";
import { headersOf, requestOf, urlOf } from "../../bench/measure/contenders.mjs";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { listen } from "../support/sockets.ts";

/** Puts other clients into the situations that docs/guides/performance.md compares. */

const file = fileURLToPath(new URL("../../docs/reports/comparison.json", import.meta.url));
const peers = fileURLToPath(new URL("../../bench/peers", import.meta.url));
const consumer = inject("consumer");

/** The document to generate. */
interface Call {
  readonly origin: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly values: object;
}

/** Generates a document with the code that the README of a client begins with. */
type Generate = (call: Call) => Promise<Uint8Array>;

/** Loads this client from the installed package, and the others from bench/peers. */
function loadClients(): Readonly<Record<string, Generate>> {
  const requirePeer = createRequire(join(peers, "package.json"));
  const { TemplatePdf } = createRequire(join(consumer, "package.json"))("template-pdf");
  const [axios, got, ky] = ["axios", "got", "ky"].map((name) => requirePeer(name).default);
  const { ofetch } = requirePeer("ofetch");
  const json = (call: Call) => ({ headers: headersOf(call), json: call.values });
  return {
    "template-pdf": ({ origin, uid, apiKey, values }) =>
      new TemplatePdf({ baseUrl: origin, apiKey }).generate(uid, values).bytes(),
    fetch: async (call) => {
      const response = await fetch(urlOf(call), requestOf(call));
      if (!response.ok) throw new Error(`The service responded with ${response.status}.`);
      return new Uint8Array(await response.arrayBuffer());
    },
    undici: async (call) => {
      const { statusCode, body } = await request(urlOf(call), requestOf(call));
      if (statusCode !== 200) throw new Error(`The service responded with ${statusCode}.`);
      return await body.bytes();
    },
    axios: async (call) => {
      const options = { headers: headersOf(call), responseType: "arraybuffer" };
      return (await axios.post(urlOf(call), call.values, options)).data;
    },
    got: (call) => got.post(urlOf(call), json(call)).buffer(),
    ky: async (call) => new Uint8Array(await ky.post(urlOf(call), json(call)).arrayBuffer()),
    ofetch: async (call) => {
      const options = { method: "POST", headers: headersOf(call), body: call.values };
      return new Uint8Array(await ofetch(urlOf(call), { ...options, responseType: "arrayBuffer" }));
    },
  };
}

/** The import of each client that supports browsers. */
const imports: Readonly<Record<string, string>> = {
  "template-pdf": 'export { TemplatePdf } from "template-pdf"',
  axios: 'export { default } from "axios"',
  ky: 'export { default } from "ky"',
  ofetch: 'export { ofetch } from "ofetch"',
};

/** The size of a client for a browser in whole kB, bundled, minified and gzipped, or a dash. */
async function bundleSize(client: string): Promise<string> {
  const contents = imports[client];
  if (contents === undefined) return client === "fetch" ? "0" : "–";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: client === "template-pdf" ? consumer : peers },
    ...{ bundle: true, minify: true, write: false, format: "esm", platform: "browser", target: "es2022" },
  });
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
  return `${Math.round(bytes / 1000)} kB`;
}

/** The outcome of a call of one client. */
interface Outcome {
  readonly document?: Uint8Array;
  readonly error?: unknown;
  /** The bodies of requests to the service, and to the other host that it redirects to. */
  readonly bodies: readonly string[];
  readonly bodiesElsewhere: readonly string[];
}

type Describe = (outcome: Outcome) => string;
type Situation = [title: string, answers: Answer[], describe?: Describe, total?: unknown];
type Answer = (answer: ServerResponse, elsewhere: string) => void;

/** The API key, which errors must not contain. */
const apiKey = "key-7f3a9c1e5b2d";

const whole = fakePdf();
const half = whole.subarray(0, whole.length / 2);
const status =
  (code: number, headers: Record<string, string> = {}, body: string | Uint8Array = ""): Answer =>
  (answer) =>
    answer.writeHead(code, headers).end(body);
const pdf = { "content-type": "application/pdf" };
const sendWhole = status(200, pdf, whole);
const loginPage = "<!doctype html><title>Log in</title><p>Log in to go on.";
const sendLogin = status(200, { "content-type": "text/html" }, loginPage);
const message = JSON.stringify({ message: "The property total is missing." });
const problem = status(422, { "content-type": "application/json" }, message);

/** Sends a truncated document, and ends the connection. */
const endHalf: Answer = (answer) => {
  answer.useChunkedEncodingByDefault = false;
  answer.writeHead(200, { ...pdf, connection: "close" }).end(half);
};
/** Sends a truncated document, and breaks the connection. */
const breakHalf: Answer = (answer) =>
  answer.writeHead(200, { ...pdf, "content-length": whole.length }).write(half, () => answer.destroy());

function describeDocument({ document, error }: Outcome): string {
  if (document === undefined) return error === undefined ? "nothing" : "an error";
  if (document.length === whole.length) return "the document";
  return String.fromCharCode(...document.subarray(0, 5)) === "%PDF-" ? "a truncated PDF" : "the login page";
}

/** An error as loggers print it: with `util.inspect` and as JSON. */
const shown = (error: unknown) =>
  `${inspect(error, { depth: Number.POSITIVE_INFINITY })}\n${JSON.stringify(error)}`;

/** All situations in the order of the table. The last answer of the service is repeated. */
const situations: Situation[] = [
  ["200 with a login page", [sendLogin]],
  ["a redirect to a login page", [status(302, { location: "/login" }), sendLogin]],
  ["a truncated document whose `content-length` is the truncated length", [status(200, pdf, half)]],
  ["a truncated document without `content-length`", [endHalf]],
  ["a connection that drops once partway through the document", [breakHalf, sendWhole]],
  ["one 503, then the document", [status(503), sendWhole]],
  ["a connection that closes once before the response", [(answer) => answer.destroy(), sendWhole]],
  [
    "307 to another host",
    [(answer, elsewhere) => answer.writeHead(307, { location: elsewhere }).end()],
    ({ bodiesElsewhere }) => (bodiesElsewhere.length > 0 ? "the values are sent there" : "an error"),
  ],
  [
    "`NaN` in the values",
    [sendWhole],
    ({ bodies }) => (bodies.some((body) => body.includes("null")) ? "the PDF contains `null`" : "an error"),
    Number.NaN,
  ],
  [
    "422 with a message in the body",
    [problem],
    ({ error }) => (String(error).includes("total is missing") ? "an error with the message" : "an error"),
  ],
  [
    "the API key in the logged error for a 422",
    [problem],
    ({ error }) => (shown(error).includes(apiKey) ? "present" : "absent"),
  ],
];

/** Starts a server for one call, which records the bodies of its requests. */
function serve(answers: readonly Answer[], elsewhere: string, bodies: string[]) {
  return listen(async (request, answer) => {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    bodies.push(body);
    answers[Math.min(bodies.length, answers.length) - 1]?.(answer, elsewhere);
  });
}

async function play(generate: Generate, answers: readonly Answer[], total: unknown): Promise<Outcome> {
  const bodies: string[] = [];
  const bodiesElsewhere: string[] = [];
  const other = await serve([(answer) => answer.end()], "", bodiesElsewhere);
  const service = await serve(answers, other.origin, bodies);
  try {
    const call = { origin: service.origin, uid: "invoice", apiKey, values: { total } };
    const outcome = await generate(call).then(
      (document) => ({ document }),
      (error: unknown) => ({ error }),
    );
    return { ...outcome, bodies, bodiesElsewhere };
  } finally {
    await Promise.all([service.close(), other.close()]);
  }
}

it("docs/reports/comparison.json is up to date (to update: npm run docs -- comparison)", async () => {
  installPeers();
  const clients = loadClients();
  const results: Record<string, Record<string, string>> = {};
  for (const [title, answers, describe = describeDocument, total = "£640.00"] of situations) {
    const row: Record<string, string> = {};
    for (const [name, generate] of Object.entries(clients))
      row[name] = describe(await play(generate, answers, total));
    results[title] = row;
  }
  const sizes = Object.keys(clients).map(async (name) => [name, await bundleSize(name)]);
  results["size in a browser, minified and gzipped"] = Object.fromEntries(await Promise.all(sizes));
  await expect(`${JSON.stringify(results, null, 2)}\n`).toMatchFileSnapshot(file);
}, 120_000);
