// @ts-check
// Where the CPU time of a document goes: by owner, and by function. A fresh process under V8's sampling profiler.
// `npm run profile`; `npm run profile -- --help` tells the arguments.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { allContenders, ourBytes, peers } from "./compare/contenders.mjs";
import { installPeers } from "./compare/packages.mjs";
import { startServer } from "./compare/start-server.mjs";
import { killAtEnd } from "./shared/at-end.mjs";
import { argumentsOf, readCommandLine, wholeNumber } from "./shared/command-line.mjs";
import { leastBytes } from "./shared/pdf-of.mjs";
import { makeTemporaryFolder } from "./shared/temporary-folder.mjs";

const usage = `npm run profile -- [contender] [bytes] [in flight]

Where the CPU time of a document goes, by owner and by function; by default "${ourBytes}" 2000 20.
The contenders: ${allContenders.join("; ")}`;
const { contender, bytes, inFlight } = readCommandLine(usage, (args) => {
  const [contender = ourBytes, bytes = "2000", inFlight = "20"] = argumentsOf(args, 3);
  if (!allContenders.includes(contender)) throw new Error(`There is no contender "${contender}".`);
  return {
    contender,
    bytes: wholeNumber("bytes", bytes, leastBytes),
    inFlight: wholeNumber("in flight", inFlight),
  };
});
const microsecondsPerSample = 100;
const cpuSeconds = 4;
const shown = 25;

const root = new URL("../", import.meta.url).href;

/** Whose a function is, by where it stands in the repository; the first that fits. */
const owners = /** @type {const} */ ([
  ["undici", /^(?:.*\/)?node_modules\/undici\/|^wasm:/],
  ["other packages", /^(?:.*\/)?node_modules\//],
  ["template-pdf", /^dist\//],
  ["the bench", /^bench\//],
]);

/** What V8 shows as a function, and is none. */
const others = new Map([
  ["(garbage collector)", "garbage collection"],
  ["(program)", "the engine"],
  ["(root)", "the engine"],
]);

/**
 * @typedef {{ functionName: string, url: string, lineNumber: number }} CallFrame
 * @typedef {{ nodes: { id: number, callFrame: CallFrame }[], samples: number[], timeDeltas: number[] }} Profile
 */

if (peers.includes(contender)) installPeers();
const folder = makeTemporaryFolder("profile");
/** @type {import("./compare/start-server.mjs").Server | undefined} */
let server;
try {
  server = await startServer([bytes], undefined);
  console.log(
    `${contender}, ${bytes} bytes, ${inFlight} in flight, Node ${process.version}: ${cpuSeconds} s of CPU time, a sample every ${microsecondsPerSample} µs`,
  );
  const { samples, timeDeltas, nodes } = await profile(server.http);
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byOwner = new Map();
  const byFunction = new Map();
  let total = 0;
  for (const [index, sample] of samples.entries()) {
    const frame = frames.get(sample);
    if (!frame || frame.functionName === "(idle)") continue;
    const time = timeDeltas[index] ?? 0;
    total += time;
    const owner = ownerOf(frame);
    const place = frame.url && `${frame.url.split("/").slice(-2).join("/")}:${frame.lineNumber + 1}`;
    add(byOwner, owner, time);
    add(byFunction, `${frame.functionName || "(anonymous)"} ${place}`.trim(), time);
  }
  console.log("% of the CPU time\n");
  print(byOwner, total, byOwner.size);
  console.log();
  print(byFunction, total, shown);
} finally {
  server?.stop();
  folder.remove();
}

/**
 * @param {string} origin
 * @returns {Promise<Profile>}
 */
async function profile(origin) {
  const plan = {
    contender,
    origin,
    bytes,
    inFlight,
    warmUp: { documents: 1, cpuMilliseconds: 1 },
    measured: { documents: 1, cpuMilliseconds: cpuSeconds * 1_000 },
    folder: folder.path,
  };
  const execArgv = [
    "--cpu-prof",
    `--cpu-prof-interval=${microsecondsPerSample}`,
    `--cpu-prof-dir=${folder.path}`,
  ];
  const program = new URL("./compare/contender-process.mjs", import.meta.url);
  const child = killAtEnd(fork(program, [JSON.stringify(plan)], { execArgv }));
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${contender} failed, with ${code}.`);
  const name = (await readdir(folder.path)).find((file) => file.endsWith(".cpuprofile"));
  if (!name) throw new Error(`${contender} left no profile.`);
  return JSON.parse(await readFile(join(folder.path, name), "utf8"));
}

/** @param {CallFrame} frame */
function ownerOf({ functionName, url }) {
  const other = others.get(functionName);
  if (other) return other;
  // The system's calls, and what is written in C++, have no place.
  if (url === "") return "Node itself";
  const place = url.startsWith(root) ? url.slice(root.length) : url;
  return owners.find(([, places]) => places.test(place))?.[0] ?? "Node itself";
}

/**
 * @param {Map<string, number>} sums
 * @param {string} name
 * @param {number} time
 */
function add(sums, name, time) {
  sums.set(name, (sums.get(name) ?? 0) + time);
}

/**
 * @param {Map<string, number>} sums
 * @param {number} total
 * @param {number} rows
 */
function print(sums, total, rows) {
  const sorted = [...sums].sort(([, one], [, other]) => other - one);
  for (const [name, time] of sorted.slice(0, rows)) {
    console.log(`${((100 * time) / total).toFixed(1).padStart(6)}  ${name}`);
  }
}
