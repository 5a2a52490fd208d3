// Feeds hostile texts to every part of the package that reads texts of others, and prints how long the event loop was blocked.

import { request } from "node:http";
import { createServer } from "node:net";
import { TemplatePdf, template } from "template-pdf";
import { startEmulator } from "template-pdf/emulator";
import { createHandler } from "template-pdf/handler";

const { seed, runs, length, templates } = JSON.parse(process.argv[2]);

const apiKey = "sk_live_0123456789";
const values = { name: "Zoë O'Neil", total: "£1,000,000", note: "one two three ".repeat(50) };

/** What readers of headers, JSON, URLs, HTML and stacks look for. */
const pieces = [
  ...`\\"'%&#;:,=/?@.-_ \t(){}[]<>aA0é\n\r\0`,
  ...["\\u", "\\u00", "\\x4", "%25", "%c3", "&amp;", "&#x0", "&#", "0 ", "1.", "{{", "}}", "*/", "[[", "--"],
  ...["; a=", '"";', "charset=", "sk_l", apiKey, "c2tf", "name", "total", "one ", "UTF-8''", "filename="],
  ...["    at a (b.js:1:2)\n", "bytes, ", "Sun, "],
];

let state = seed;

/** A number from 0 to 1 that the seed decides (mulberry32). */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}

const pick = (list) => list[Math.floor(random() * list.length)];

/** One or two repetitions of something short, and something else at the end. */
function hostileText(most) {
  const unit = () => Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(pieces)).join("");
  const repeat = (bytes) => {
    const repeated = unit();
    return repeated.repeat(Math.ceil(bytes / repeated.length));
  };
  const text = random() < 0.5 ? repeat(most) : repeat(most / 2) + unit() + repeat(most / 2);
  return `${pick(["", '"', "(", "a="])}${text}`.slice(0, most - 4) + pick(["", "x", "\\", '"', ";"]);
}

/** The part of a text that a header can contain. */
const inHeader = (text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, " ");

/** Generates a document with a service that answers in this way; reads everything that is public of the outcome. */
async function generate(respond, uid = "a", given = values) {
  const options = { baseUrl: "https://pdf.example.com", apiKey, retry: false, fetch: async () => respond() };
  await read(async () => {
    const pdf = await new TemplatePdf(options).generate(uid, given);
    void [pdf.filename, pdf.requestId, pdf.headers];
    await pdf.bytes();
  });
  // Lets the event loop continue.
  await new Promise((resolve) => setImmediate(resolve));
}

/** Reads everything that is public of an error. */
async function read(run) {
  try {
    await run();
  } catch (error) {
    const { message, stack, body, rawBody, detail, requestId, headers, cause } = error;
    JSON.stringify([error, message, stack, body, rawBody, detail, requestId, headers, cause]);
  }
}

const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const pdf = "%PDF-1.7\n%%EOF\n";
const whole = () => new Response(pdf);
const namesOfErrors =
  "x-request-id content-type content-encoding content-disposition content-length retry-after location";
const namesOfRequests = "content-type content-encoding origin host sec-fetch-site x-request-id";

const handler = createHandler({
  client: new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey, fetch: async () => whole() }),
  templates: { a: template("a", anything) },
  authorize: () => true,
});
const emulator = await startEmulator({
  templates,
  onError: () => {},
  limits: { renderMs: 1_000, threads: 1 },
});

async function callHandler(name, headers, body) {
  const url = `https://app.example.com/api/v1/templates/${name}/generate-sync`;
  await (await handler(new Request(url, { method: "POST", headers, body }))).arrayBuffer();
  await new Promise((resolve) => setImmediate(resolve));
}

function callEmulator(path, headers, body) {
  return new Promise((resolve) => {
    const sent = request(emulator.baseUrl + path, { method: "POST", headers }, (response) =>
      response.resume().once("close", resolve),
    );
    sent.once("error", resolve).end(body);
  });
}

/** By what is read; each resolves when the text has been read to its end. */
const readers = {
  "a value that is refused": (text) => {
    const given = { text: `the ${text.slice(0, 100)} `.repeat(2_000), more: text };
    return generate(() => new Response('{"message":"bad value"}', { status: 422 }), "a", given);
  },
  "the text of an error": (text) => generate(() => new Response(text, { status: 400 })),
  "the JSON of an error": (text) =>
    generate(() => Response.json({ message: text, errors: [text] }, { status: 422 })),
  "a page instead of a document": (text) => generate(() => new Response(text)),
  "a header of an error": async (text) => {
    for (const name of namesOfErrors.split(" "))
      await generate(() => new Response("", { status: 503, headers: { [name]: inHeader(text) } }));
  },
  "a header of a document": async (text) => {
    for (const name of ["x-request-id", "content-disposition"])
      await generate(() => new Response(pdf, { headers: { [name]: inHeader(text) } }));
  },
  "the target of a redirect": (text) =>
    generate(() => new Response("", { status: 302, headers: { location: inHeader(text) } })),
  "an error of fetch": (text) =>
    generate(() => {
      const cause = Object.assign(new TypeError(text), { code: text, data: text, name: text });
      throw Object.assign(new Error("failed", { cause }), { stack: `Error: failed\n${text}` });
    }),
  "a response that is no HTTP": async (text) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(text));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${server.address().port}`;
    const client = new TemplatePdf({ baseUrl, apiKey, retry: false });
    await read(() => client.generate("a", values).bytes());
    server.close();
    await client.close();
  },
  "the uid": (text) => generate(whole, text),
  "the base URL": (text) => read(() => new TemplatePdf({ baseUrl: `https://a/${text}`, apiKey })),
  "a header of the caller": (text) =>
    read(() => new TemplatePdf({ baseUrl: "https://a", apiKey, headers: { a: inHeader(text) } })),
  "a request to the handler": async (text) => {
    const safe = inHeader(text);
    const json = "application/json";
    await callHandler("a", { "content-type": `${json}; charset=${safe}` }, "{}");
    for (const name of namesOfRequests.split(" "))
      await callHandler("a", { "content-type": json, [name]: safe }, "{}");
    await callHandler(encodeURIComponent(text.toWellFormed?.() ?? safe), {}, text);
  },
  "a request to the emulator": async (text) => {
    const path = "/api/v1/templates/invoice/generate-sync";
    const safe = inHeader(text);
    await callEmulator(`/${encodeURI(safe)}`.slice(0, 8_000), {}, "{}");
    await callEmulator(path, { "content-type": `application/json; charset=${safe}`.slice(0, 8_000) }, "{}");
    await callEmulator(path, { authorization: `API-Key ${safe}`.slice(0, 8_000) }, "{}");
    const headers = { "content-type": "application/json", authorization: `API-Key ${emulator.apiKey}` };
    await callEmulator(path, headers, JSON.stringify({ customer: text, lines: text }));
  },
};

/** The longest computation between two turns of the event loop while something runs, in milliseconds of CPU. */
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
for (const [name, reader] of Object.entries(readers)) {
  // Code is compiled when it first runs, and modules are loaded.
  for (let warm = 0; warm < 3; warm++) await reader(hostileText(1_000));
  worst[name] = { blockedMs: 0, text: "" };
  for (let run = 0; run < runs; run++) {
    const text = hostileText(length);
    // The best of five, because garbage is collected at any time.
    let best = Number.POSITIVE_INFINITY;
    for (let again = 0; again < 5 && best > 50; again++)
      best = Math.min(best, await blockedMs(() => reader(text)));
    if (best > worst[name].blockedMs)
      worst[name] = { blockedMs: best, text: `${text.slice(0, 60)}…${text.slice(-20)}` };
  }
}
await emulator.close();
console.log(JSON.stringify(worst));
