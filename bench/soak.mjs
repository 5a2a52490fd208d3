// What 100,000 documents leave behind: listeners, timers, sockets and memory, on one signal, with faults and retries.
// `npm run soak`; `npm run soak -- --help` tells the arguments.
import { fork } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { killAtEnd } from "./shared/at-end.mjs";
import { collectGarbage } from "./shared/collect-garbage.mjs";
import { argumentsOf, readCommandLine, wholeNumber } from "./shared/command-line.mjs";
import { pdfOf } from "./shared/pdf-of.mjs";

const usage = `npm run soak -- [documents]

What so many documents leave behind, by default 100000: listeners, timers, sockets and memory.`;

const inFlight = 20;
/** Every so many requests one goes wrong, and each kind in its turn: about 4 % in all. */
const faultEvery = 25;
const faults = [
  (response) => response.writeHead(503, { "retry-after": "0" }).end('{"message":"busy"}'),
  (response) => response.writeHead(429).end(),
  (response) => response.socket.resetAndDestroy(),
  (response, pdf) => {
    response.writeHead(200, { "content-length": pdf.length });
    response.write(pdf.subarray(0, pdf.length / 2), () => response.socket.destroy());
  },
];

if (process.send) serve();
else await soak(readCommandLine(usage, documentsOf));

/** @param {string[]} args */
function documentsOf(args) {
  const [documents = "100000"] = argumentsOf(args, 1);
  return wholeNumber("documents", documents);
}

function serve() {
  const small = pdfOf(2_000);
  const large = pdfOf(50_000);
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      const pdf = request.url.includes("/large/") ? large : small;
      const count = ++requests;
      if (count % faultEvery === 0) return faults[(count / faultEvery) % faults.length](response, pdf);
      response.writeHead(200, { "content-type": "application/pdf", "content-length": pdf.length }).end(pdf);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
  process.on("message", () =>
    server.getConnections((_, connections) => process.send({ requests, connections })),
  );
  process.on("disconnect", () => process.exit());
}

async function soak(documents) {
  const { TemplatePdf } = await import("template-pdf");
  const server = killAtEnd(fork(fileURLToPath(import.meta.url)));
  const [port] = await once(server, "message");
  const told = { request: 0, response: 0, retry: 0, error: 0 };
  const hooks = Object.fromEntries(Object.keys(told).map((name) => [name, () => told[name]++]));
  const pdfs = new TemplatePdf({
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: "key-of-the-soak",
    // Enough for every document to come in the end: what is counted is what stays behind.
    retry: { limit: 6 },
    hooks,
  });
  const { signal } = new AbortController();
  const started = performance.now();
  const ask = async () => {
    server.send("how many?");
    return (await once(server, "message"))[0];
  };
  const row = async (at) => {
    const seconds = (performance.now() - started) / 1000;
    console.log(rowOf(at, seconds, signal, (await ask()).connections));
  };

  console.log(`${documents} documents, ${inFlight} in flight, one signal, Node ${process.version}`);
  console.log("              time  listeners  timers  sockets   RSS MB  heap MB");
  let done = 0;
  let failed = 0;
  const lane = async (until) => {
    while (done < until) {
      const isLarge = ++done % 10 === 0;
      const pending = pdfs.generate(isLarge ? "large" : "small", { number: done }, { signal });
      const length = await pending.bytes().then(
        (bytes) => bytes.length,
        () => 0,
      );
      if (length !== (isLarge ? 50_000 : 2_000)) failed++;
    }
  };
  const upTo = (until) => Promise.all(Array.from({ length: inFlight }, () => lane(until)));
  await row("before");
  await upTo(documents / 10);
  await row("at 10 %");
  await upTo(documents);
  await row("at 100 %");
  await pdfs.close();
  // The other process hears of it a moment later.
  for (let polls = 0; polls < 100 && (await ask()).connections > 0; polls++) await delay(20);
  await row("closed");
  const { requests } = await ask();
  server.disconnect();
  console.log(
    `${documents - failed} whole, ${failed} failed, ${requests} requests; hooks: ${JSON.stringify(told)}`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

/** Sockets as the server counts them: idle ones keep no process alive, and are in no list of this one. */
function rowOf(at, seconds, signal, sockets) {
  collectGarbage();
  const { rss, heapUsed } = process.memoryUsage();
  const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const cells = [
    at.padEnd(10),
    `${seconds.toFixed(1)} s`.padStart(8),
    String(getEventListeners(signal, "abort").length).padStart(11),
    String(timers).padStart(8),
    String(sockets).padStart(9),
    (rss / 1e6).toFixed(1).padStart(9),
    (heapUsed / 1e6).toFixed(1).padStart(9),
  ];
  return cells.join("");
}
