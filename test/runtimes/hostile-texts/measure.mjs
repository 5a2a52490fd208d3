// Feeds hostile texts to every part of the package that reads texts of others, and prints how long the event loop was blocked.

import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";

const texts = JSON.parse(process.argv[2]);
const length = 256 * 1024;
const apiKey = "sk_live_0123456789";
const values = { name: "Zoë O'Neil", total: "£1,000,000", note: "one two three ".repeat(50) };

/** Returns the part of a text that a header can contain. */
const inHeader = (text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, " ");

/** Generates a document with a service that responds like this, and reads the outcome's public properties. */
async function generate(respond, given = values) {
  const options = { baseUrl: "https://pdf.example.com", apiKey, retry: false, fetch: async () => respond() };
  try {
    const pdf = await new TemplatePdf(options).generate("a", given);
    void [pdf.filename, pdf.requestId, pdf.headers];
    await pdf.bytes();
  } catch (error) {
    const { message, stack, body, rawBody, detail, requestId, headers, cause } = error;
    JSON.stringify([error, message, stack, body, rawBody, detail, requestId, headers, cause]);
  }
  // Lets the event loop continue.
  await new Promise((resolve) => setImmediate(resolve));
}

const pdf = "%PDF-1.7\n%%EOF\n";
const json = "application/json";
const anything = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const handler = createHandler({
  client: new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey,
    fetch: async () => new Response(pdf),
  }),
  templates: { a: template("a", anything) },
  authorize: () => true,
});

async function callHandler(name, headers, body) {
  const url = `https://app.example.com/api/v1/templates/${name}/generate-sync`;
  await (await handler(new Request(url, { method: "POST", headers, body }))).arrayBuffer();
  await new Promise((resolve) => setImmediate(resolve));
}

/** By what is read; each resolves when the text has been read to its end. */
const readers = {
  "a value that is refused": (text) => {
    const given = { text: `the ${text.slice(0, 100)} `.repeat(2_000), more: text };
    return generate(() => new Response('{"message":"bad value"}', { status: 422 }), given);
  },
  "the text of an error": (text) => generate(() => new Response(text, { status: 400 })),
  "the JSON of an error": (text) =>
    generate(() => Response.json({ message: text, errors: [text] }, { status: 422 })),
  "a page instead of a document": (text) => generate(() => new Response(text)),
  "a header of an error": async (text) => {
    const names = ["x-request-id", "content-type", "content-encoding", "content-length", "retry-after"];
    const headersOf = (name) => ({ headers: { [name]: inHeader(text) } });
    for (const name of names) await generate(() => new Response("", { status: 503, ...headersOf(name) }));
    await generate(() => new Response("", { status: 302, ...headersOf("location") }));
  },
  "a header of a document": async (text) => {
    for (const name of ["x-request-id", "content-disposition"])
      await generate(() => new Response(pdf, { headers: { [name]: inHeader(text) } }));
  },
  "an error of fetch": (text) =>
    generate(() => {
      const cause = Object.assign(new TypeError(text), { code: text, data: text, name: text });
      throw Object.assign(new Error("failed", { cause }), { stack: `Error: failed\n${text}` });
    }),
  "a request to the handler": async (text) => {
    const safe = inHeader(text);
    await callHandler("a", { "content-type": `${json}; charset=${safe}` }, "{}");
    for (const name of ["content-type", "content-encoding", "origin", "host", "x-request-id"])
      await callHandler("a", { "content-type": json, [name]: safe }, "{}");
    await callHandler(encodeURIComponent(text.toWellFormed?.() ?? safe), {}, text);
  },
};

/** The longest computation between two turns of the event loop while something runs, in milliseconds of CPU. */
async function blockedMsOf(run) {
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
  for (let warm = 0; warm < 3; warm++) await reader("a b".repeat(300));
  worst[name] = { blockedMs: 0, text: "" };
  for (const [begin, unit, end] of texts) {
    const text = begin + unit.repeat(length / unit.length) + end;
    // Takes the best of up to five, because garbage can be collected at any time.
    let best = Number.POSITIVE_INFINITY;
    for (let again = 0; again < 5 && best > 200; again++)
      best = Math.min(best, await blockedMsOf(() => reader(text)));
    if (best > worst[name].blockedMs) worst[name] = { blockedMs: best, text: begin + unit + end };
  }
}
console.log(JSON.stringify(worst));
