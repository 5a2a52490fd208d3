// Runs one contender in its own process: warms up, then reports the cost of its documents.
// node process.mjs <plan in JSON>: { contender, origin, bytes, inFlight, warmUp, measured, folder, samples }. A span such as
// `measured` ends after its `documents` and `cpuMilliseconds`.
import { percentileOf } from "../shared/figures.mjs";
import { values } from "../shared/values.mjs";
import { openPump } from "./many.mjs";

// Ends if the parent process has ended.
process.on("disconnect", () => process.exit());

const plan = JSON.parse(process.argv[2] ?? "");
const { contender, origin, bytes, inFlight, folder = "" } = plan;
const apiKey = "0123456789abcdef0123456789abcdef";
const pump = await openPump(contender, { origin, uid: String(bytes), apiKey, values, folder, inFlight });

/** The number of documents between readings of the CPU time, because each reading takes 1 to 2 µs. */
const lookEvery = 16;

/** The maximum number of latencies to keep, so that memory does not grow with the documents. */
const latencies = new Float64Array(100_000);

/** The number of the next document, which continues across spans. */
let number = 0;

async function run({ documents, cpuMilliseconds = 0 }) {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const sampleEvery = plan.samples ? Math.ceil(documents / 10) : Number.POSITIVE_INFINITY;
  const rssSamples = [];
  let [begun, done] = [0, 0];
  let isOver = false;

  const next = () => {
    if (begun >= documents && (cpuMilliseconds === 0 || begun % lookEvery === 0)) {
      isOver ||= microsecondsSince(before) >= cpuMilliseconds * 1_000;
    }
    if (isOver) return undefined;
    begun++;
    return number++;
  };

  const onDocument = (length, ms = 0) => {
    if (length !== bytes) throw new Error(`Got ${length} bytes instead of ${bytes}.`);
    latencies[done % latencies.length] = ms;
    done++;
    if (done % sampleEvery === 0) rssSamples.push(Number((process.memoryUsage.rss() / 1e6).toFixed(1)));
  };

  await pump(next, onDocument);
  if (done !== begun) throw new Error(`Got ${done} documents instead of ${begun}.`);
  return {
    cpuMicroseconds: microsecondsSince(before) / done,
    perSecond: (done * 1_000) / (performance.now() - startedAt),
    done,
    rssSamples,
  };
}

function microsecondsSince(before) {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

if (plan.warmUp) await run(plan.warmUp);
const { done, ...figures } = await run(plan.measured);
const sorted = latencies.subarray(0, Math.min(done, latencies.length)).sort();
const reading = {
  ...figures,
  peakMegabytes: (process.resourceUsage().maxRSS * 1_024) / 1e6,
  p50Ms: percentileOf(sorted, 0.5),
  p99Ms: percentileOf(sorted, 0.99),
};
process.send(reading, () => process.exit());
