// One point of bench/growth.mjs in a process of its own: warms up, then tells what its documents cost, and what it holds.
// node growth-process.mjs <contender> <origin> <documents> <in flight>
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { contenders } from "./compare/contenders.mjs";

const [contender, origin, documents, inFlight] = process.argv.slice(2);
const bytes = 2_000;
/** So many that the code is compiled and every connection is open. */
const warmUp = 20_000;

const fetchOne = await contenders[contender]({
  origin,
  uid: String(bytes),
  apiKey: "0123456789abcdef0123456789abcdef",
  values: {
    date: "20 November 2026",
    total: "£1,000,000",
    customer: { name: "Ada Lovelace", city: "London" },
  },
});

async function run(count) {
  let left = count;
  const lane = async (_, slot) => {
    while (left-- > 0) {
      const length = await fetchOne(slot);
      if (length !== bytes) throw new Error(`${length} bytes came instead of ${bytes}.`);
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, lane));
}

await run(warmUp);
const before = process.cpuUsage();
await run(Number(documents));
const { user, system } = process.cpuUsage(before);
const { rss } = process.memoryUsage();
// Only now: a collection on demand throws compiled code away, too.
setFlagsFromString("--expose-gc");
runInNewContext("gc")();
process.send({
  microseconds: (user + system) / Number(documents),
  rss,
  heap: process.memoryUsage().heapUsed,
});
process.disconnect();
process.exit();
