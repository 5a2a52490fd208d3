// Gives every part of the package that reads texts of others a hostile one, and prints how long the event loop was blocked.

import { request } from "node:http";
import { createServer } from "node:net";
import { TemplatePdf, template } from "template-pdf";
import { startEmulator } from "template-pdf/emulator";
import { createHandler } from "template-pdf/handler";

const [, , settings] = process.argv;
const { seed, runs, length, templates } = JSON.parse(settings);

const apiKey = "sk_live_0123456789";
const values = { name: "Zoë O'Neil", total: "£1,000,000", note: "one two three ".repeat(50) };

/** What readers of headers, JSON, URLs, HTML and stacks look for. */
const pieces = [
  ..."\\\"'%&#;:,=/?@.-_ \t(){}[]<>aA0é",
  ..."\n\r\0".repeat(1),
  "\\u",
  "\\u00",
  "\\x4",
  "%25",
  "%c3",
  "&amp;",
  "&#x0",
  "&#",
  "0 ",
  "1.",
  "{{",
  "}}",
  "*/",
  "[[",
  "--",
  "; a=",
  '"";',
  "charset=",
  "sk_l",
  apiKey,
  "c2tf",
  "name",
  "total",
  "one ",
  "    at a (b.js:1:2)\n",
  "UTF-8''",
  "filename=",
  "bytes, ",
  "Sun, ",
];

let state = seed;

/** A number from 0 to 1 that the seed decides (mulberry32). */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}

function pick(list) {
  return list[Math.floor(random() * list.length)];
}

/** One or two runs of something short, and something else at the end. */
function hostileText(most) {
  const unit = () => Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(pieces)).join("");
  const run = (bytes) => {
    const repeated = unit();
    return repeated.repeat(Math.ceil(bytes / repeated.length));
  };
  const text = random() < 0.5 ? run(most) : run(most / 2) + unit() + run(most / 2);
  return `${pick(["", '"', "(", "a="])}${text}`.slice(0, most - 4) + pick(["", "x", "\\", '"', ";"]);
}

/** What a header can hold. */
const inHeader = (text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, " ");

/** Lets the event loop come round. */
function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A client whose answer is made up. */
function answered(make) {
  return new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey,
    retry: false,
    fetch: async (_, init) => make(init),
  });
}

/** Reads whatever somebody may read of an error. */
async function readError(promise) {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (error === undefined) return;
  void [
    error.message,
    error.stack,
    error.body,
    error.rawBody,
    error.detail,
    error.requestId,
    error.headers,
    error.cause,
  ];
  JSON.stringify(error);
}

const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };

const pdf = "%PDF-1.7\n%%EOF\n";
const headerNames = [
  "x-request-id",
  "content-type",
  "content-encoding",
  "content-disposition",
  "content-length",
  "retry-after",
  "location",
];

/** By what is read; each returns when the text was read to its end. */
const readers = {
  "a value that is refused": (text) =>
    readError(
      answered(() => new Response('{"message":"bad value"}', { status: 422 }))
        .generate("a", { text: `the ${text.slice(0, 100)} `.repeat(2_000), more: text })
        .bytes(),
    ),
  "an error's text": (text) =>
    readError(
      answered(() => new Response(text, { status: 400 }))
        .generate("a", values)
        .bytes(),
    ),
  "an error's JSON": (text) =>
    readError(
      answered(() => new Response(JSON.stringify({ message: text, errors: [text] }), { status: 422 }))
        .generate("a", values)
        .bytes(),
    ),
  "a page in place of a document": (text) =>
    readError(
      answered(() => new Response(text))
        .generate("a", values)
        .bytes(),
    ),
  "a header of an error": async (text) => {
    for (const name of headerNames) {
      const headers = { [name]: inHeader(text) };
      await readError(
        answered(() => new Response("", { status: 503, headers }))
          .generate("a", values)
          .bytes(),
      );
      await turn();
    }
  },
  "a header of a document": async (text) => {
    for (const name of ["x-request-id", "content-disposition"]) {
      const headers = { [name]: inHeader(text) };
      const document = await answered(() => new Response(pdf, { headers })).generate("a", values);
      void [document.filename, document.requestId, document.headers];
      await document.bytes();
      await turn();
    }
  },
  "where a redirect leads": (text) =>
    readError(
      answered(() => new Response("", { status: 302, headers: { location: inHeader(text) } }))
        .generate("a", values)
        .bytes(),
    ),
  "what a fetch rejects with": (text) =>
    readError(
      answered(() => {
        const cause = Object.assign(new TypeError(text), { code: text, data: text, name: text });
        throw Object.assign(new Error("failed", { cause }), { stack: `Error: failed\n${text}` });
      })
        .generate("a", values)
        .bytes(),
    ),
  "an answer that is no HTTP": async (text) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(text));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const client = new TemplatePdf({
      baseUrl: `http://127.0.0.1:${server.address().port}`,
      apiKey,
      retry: false,
    });
    await readError(client.generate("a", values).bytes());
    server.close();
    await client.close();
  },
  "the uid": (text) =>
    readError(
      answered(() => new Response(pdf))
        .generate(text, values)
        .bytes(),
    ),
  "the base URL": (text) =>
    readError((async () => new TemplatePdf({ baseUrl: `https://a/${text}`, apiKey }))()),
  "a header of the caller's": (text) =>
    readError(
      (async () => new TemplatePdf({ baseUrl: "https://a", apiKey, headers: { a: inHeader(text) } }))(),
    ),
  "a call of the handler": async (text) => {
    const handler = createHandler({
      client: answered(() => new Response(pdf)),
      templates: { a: template("a", anything) },
      authorize: () => true,
    });
    const safe = inHeader(text);
    for (const name of [
      "content-type",
      "content-encoding",
      "origin",
      "host",
      "sec-fetch-site",
      "x-request-id",
    ]) {
      const headers = {
        "content-type": "application/json",
        [name]: name === "content-type" ? `application/json; charset=${safe}` : safe,
      };
      const url = "https://app.example.com/api/v1/templates/a/generate-sync";
      await (await handler(new Request(url, { method: "POST", headers, body: "{}" }))).arrayBuffer();
      await turn();
    }
    const path = `/api/v1/templates/${encodeURIComponent(text.toWellFormed?.() ?? safe)}/generate-sync`;
    await (
      await handler(new Request(`https://app.example.com${path}`, { method: "POST", body: text }))
    ).arrayBuffer();
  },
  "a call of the emulator": async (text) => {
    for (const [path, headers, body] of [
      [`/${encodeURI(inHeader(text)).slice(0, 8_000)}`, {}, "{}"],
      [
        "/api/v1/templates/invoice/generate-sync",
        { "content-type": `application/json; charset=${inHeader(text)}`.slice(0, 8_000) },
        "{}",
      ],
      [
        "/api/v1/templates/invoice/generate-sync",
        { authorization: inHeader(`API-Key ${text}`).slice(0, 8_000) },
        "{}",
      ],
      [
        "/api/v1/templates/invoice/generate-sync",
        { "content-type": "application/json", authorization: `API-Key ${emulator.apiKey}` },
        JSON.stringify({ customer: text, lines: text }),
      ],
    ]) {
      await new Promise((resolve) => {
        const sent = request(emulator.baseUrl + path, { method: "POST", headers }, (response) =>
          response.resume().once("close", resolve),
        );
        sent.once("error", resolve);
        sent.end(body);
      });
    }
  },
};

const emulator = await startEmulator({
  templates,
  onError: () => {},
  limits: { renderMs: 1_000, threads: 1 },
});

/** The most that was computed between two turns of the event loop while something ran, in milliseconds of CPU. */
async function blockedMs(run) {
  let longest = 0;
  let last = process.cpuUsage();
  const notice = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
  };
  const timer = setInterval(notice, 1);
  await run();
  notice();
  clearInterval(timer);
  return longest;
}

const worst = {};
for (const [name, read] of Object.entries(readers)) {
  // Code that runs for the first time is compiled, and modules are loaded.
  for (let warm = 0; warm < 3; warm++) await read(hostileText(1_000));
  worst[name] = { blockedMs: 0, text: "" };
  for (let run = 0; run < runs; run++) {
    const text = hostileText(length);
    // The best of five: the collector of garbage comes when it likes.
    let best = Number.POSITIVE_INFINITY;
    for (let again = 0; again < 5 && best > 50; again++)
      best = Math.min(best, await blockedMs(() => read(text)));
    if (best > worst[name].blockedMs)
      worst[name] = { blockedMs: best, text: `${text.slice(0, 60)}…${text.slice(-20)}` };
  }
}
await emulator.close();
console.log(JSON.stringify(worst));
