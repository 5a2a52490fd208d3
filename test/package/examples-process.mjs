// Runs the examples of `examples.test.ts`, one after the other: a process for each would take half a minute.
// As much of a page as examples for pages use.
globalThis.document = { createElement: () => ({ click() {}, remove() {} }), body: { append() {} } };

process.on("message", async (url) => {
  try {
    await import(url);
    process.send({});
  } catch (error) {
    process.send({ problem: error.stack });
  }
});
