// @ts-check
// HTTP/2 beside HTTP/1.1 over TLS, to a server that takes 50 ms over every document: documents a second, CPU time,
// sockets. What came of it stands in docs/decisions/0018-http-2.md. `npm run http2`.
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killAtEnd } from "./shared/at-end.mjs";
import { makeCertificate } from "./shared/authority.mjs";
import { readCommandLine } from "./shared/command-line.mjs";
import { readingFrom } from "./shared/reading-from.mjs";
import { medianOf } from "./shared/statistics.mjs";
import { makeTemporaryFolder } from "./shared/temporary-folder.mjs";

/** @typedef {{ microseconds: number, perSecond: number, sockets: number, errors: [string, number][] }} Reading */

const usage = `npm run http2

HTTP/2 beside HTTP/1.1 over TLS, 2 kB and 50 kB, 20 and 200 in flight; five minutes, and no options.`;
readCommandLine(usage, (args) => parseArgs({ args }));

const rounds = 3;
const contenders = ["own agent", "HTTP/1.1", "HTTP/2", "HTTP/2, shared"];
const points = [
  { bytes: 2_000, inFlight: 20 },
  { bytes: 2_000, inFlight: 200 },
  { bytes: 50_000, inFlight: 20 },
  { bytes: 50_000, inFlight: 200 },
];

const folder = makeTemporaryFolder("http2");
const authorityFile = join(folder.path, "authority.pem");
const server = killAtEnd(fork(new URL("http2-server.mjs", import.meta.url)));
try {
  const { authority, cert, key } = await makeCertificate();
  await writeFile(authorityFile, authority);
  server.send({ cert, key });
  const [{ port }] = await once(server, "message");
  console.log(`medians of ${rounds} rounds, 50 ms of server time, TLS, Node ${process.version}`);
  console.log(`${"".padEnd(44)} documents/s  CPU µs  sockets  errors`);
  for (const [index, point] of points.entries()) {
    console.log(`(cell ${index + 1} of ${points.length}, about a minute)`);
    await compare(point, `https://127.0.0.1:${port}`);
  }
} finally {
  server.kill();
  folder.remove();
}

/**
 * @param {{ bytes: number, inFlight: number }} point
 * @param {string} origin
 */
async function compare({ bytes, inFlight }, origin) {
  /** @type {Map<string, Reading[]>} */
  const readings = new Map(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [contender, all] of readings) {
      const args = [contender, origin, bytes, inFlight, authorityFile].map(String);
      // Where the client makes its own agent, this is how it is told whom to trust.
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: authorityFile };
      const child = killAtEnd(fork(new URL("http2-process.mjs", import.meta.url), args, { env }));
      const reading = await readingFrom(child, contender);
      server.send("how many?");
      const [{ sockets }] = await once(server, "message");
      all.push({ ...reading, sockets });
    }
  }
  for (const [contender, all] of readings) {
    /** @param {"perSecond" | "microseconds" | "sockets"} name */
    const of = (name) => medianOf(all.map((reading) => reading[name]));
    const errors = all.flatMap((reading) => reading.errors);
    const cells = [
      `${bytes} bytes, ${inFlight} in flight, ${contender}`.padEnd(44),
      of("perSecond").toFixed(0).padStart(12),
      of("microseconds").toFixed(0).padStart(8),
      String(of("sockets")).padStart(9),
      String(errors.reduce((sum, [, count]) => sum + count, 0)).padStart(8),
    ];
    console.log(cells.join(""));
    for (const [error, count] of errors) console.log(`    ${count} × ${error}`);
  }
}
