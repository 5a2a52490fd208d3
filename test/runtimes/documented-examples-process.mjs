// Runs the examples of `documented-examples.test.ts` one after the other. A process for each would take half a minute.
// The part of a browser that examples use.
globalThis.document = { createElement: () => ({ click() {}, remove() {} }), body: { append() {} } };

/** What an example prints about failures. */
let complaints = [];
const { log, error } = console;
console.error = (...printed) => {
  complaints.push(printed.join(" "));
  error(...printed);
};
console.log = (...printed) => {
  if (/\b[1-9]\d* failed/.test(printed.join(" "))) complaints.push(printed.join(" "));
  log(...printed);
};

process.on("message", async ({ url, baseUrl, callsRoutes }) => {
  complaints = [];
  process.env.TEMPLATE_PDF_BASE_URL = baseUrl;
  try {
    const exports = await import(url);
    if (callsRoutes) await callRoutes(exports);
    process.send({ complaints });
  } catch (error) {
    process.send({ problem: error.stack, complaints });
  }
});

/** Calls the routes of a web server that an example exports. */
async function callRoutes(exports) {
  for (const method of ["GET", "POST"]) {
    const response = await exports[method]?.(new Request("https://app.example.com/invoice", { method }));
    if (response === undefined) continue;
    const text = await response.text();
    if (!text.startsWith("%PDF-")) throw new Error(`${method} responded with ${response.status}: ${text}`);
  }
}
