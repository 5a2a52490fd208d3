import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installPeers } from "./compare/packages.mjs";
import { allContenders, ourBytes, peers } from "./measure/contenders.mjs";
import { measure } from "./measure/in-turn.mjs";
import { startProgram } from "./servers/start.mjs";
import { makeTemporaryFolder } from "./shared/at-end.mjs";
import { UsageError } from "./shared/options.mjs";
import { leastBytes } from "./shared/pdf-of.mjs";

export const defaults = { contender: ourBytes, bytes: 2_000, inFlight: 20 };

export const usage = `Shows the CPU time of a document by package and by function.

  --contender <name>   contender (default: "${ourBytes}")
  --bytes <n>          size of the document (default: 2000)
  --inFlight <n>       calls in flight (default: 20)

The contenders: ${allContenders.join("; ")}`;

const microsecondsPerSample = 100;
const cpuMilliseconds = 4_000;
const shown = 25;

const root = new URL("../", import.meta.url).href;

/** The owner of a function by its path; the first match applies. */
const owners = [
  ["undici", /^(?:.*\/)?node_modules\/undici\/|^wasm:/],
  ["other packages", /^(?:.*\/)?node_modules\//],
  ["template-pdf", /^dist\//],
  ["the benchmark", /^bench\//],
];

export async function run({ contender, bytes, inFlight }) {
  if (!allContenders.includes(contender)) throw new UsageError(`There is no contender "${contender}".`);
  if (bytes < leastBytes) throw new UsageError(`--bytes must be at least ${leastBytes}, got ${bytes}.`);
  if (peers.includes(contender)) installPeers();
  const folder = makeTemporaryFolder("profile");
  const origin = await startProgram("raw.mjs");
  console.log(`${contender}, ${bytes} bytes, ${inFlight} in flight, Node ${process.version}`);
  const measured = { documents: 1, cpuMilliseconds };
  const execArgv = ["--cpu-prof", `--cpu-prof-interval=${microsecondsPerSample}`, `--cpu-prof-dir=${folder}`];
  await measure({ contender, origin, bytes, inFlight, measured, folder }, { execArgv });
  const name = readdirSync(folder).find((file) => file.endsWith(".cpuprofile")) ?? "";
  printShares(JSON.parse(readFileSync(join(folder, name), "utf8")));
}

function printShares({ nodes, samples, timeDeltas }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byOwner = new Map();
  const byFunction = new Map();
  for (const [index, sample] of samples.entries()) {
    const frame = frames.get(sample);
    if (!frame || frame.functionName === "(idle)") continue;
    const { functionName, url, lineNumber } = frame;
    const place = url && `${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`;
    const time = timeDeltas[index] ?? 0;
    add(byOwner, ownerOf(frame), time);
    add(byFunction, `${functionName || "(anonymous)"} ${place}`.trim(), time);
  }
  console.log("% of the CPU time\n");
  print(byOwner);
  console.log();
  print(byFunction);
}

function ownerOf({ functionName, url }) {
  // Entries such as `(garbage collector)` are not functions.
  if (functionName.startsWith("(")) return functionName.slice(1, -1);
  const place = url.startsWith(root) ? url.slice(root.length) : url;
  // System calls and C++ functions have no path.
  return owners.find(([, places]) => places.test(place))?.[0] ?? "Node itself";
}

function add(sums, name, time) {
  sums.set(name, (sums.get(name) ?? 0) + time);
}

function print(sums) {
  const total = [...sums.values()].reduce((sum, time) => sum + time, 0);
  const sorted = [...sums].sort(([, one], [, other]) => other - one);
  for (const [name, time] of sorted.slice(0, shown)) {
    console.log(`${((100 * time) / total).toFixed(1).padStart(6)}  ${name}`);
  }
}
