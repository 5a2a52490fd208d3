// Runs the examples of `examples.test.ts`, one after the other: a process for each would take half a minute.
// As much of a page as examples for pages use.
globalThis.document = { createElement: () => ({ click() {}, remove() {} }), body: { append() {} } };

/** What an example says of failures. */
let complaints = [];
const { log, error } = console;
console.error = (...told) => {
  complaints.push(told.join(" "));
  error(...told);
};
console.log = (...told) => {
  if (/\b[1-9]\d* failed/.test(told.join(" "))) complaints.push(told.join(" "));
  log(...told);
};

process.on("message", async (url) => {
  complaints = [];
  try {
    await import(url);
    process.send({ complaints });
  } catch (error) {
    process.send({ problem: error.stack, complaints });
  }
});
