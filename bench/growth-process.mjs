// @ts-check
// One point of bench/growth.mjs in a process of its own: warms up, then tells what its documents cost, and what it holds.
// node growth-process.mjs <contender> <origin> <documents> <in flight>
import { contenders } from "./compare/contenders.mjs";
import { collectGarbage } from "./shared/collect-garbage.mjs";
import { values } from "./shared/values.mjs";

const [name = "", origin = "", documents, inFlight] = process.argv.slice(2);
const contender = contenders[name];
if (!contender) throw new Error(`There is no contender ${name}.`);
const bytes = 2_000;
/** So many that the code is compiled and every connection is open. */
const warmUp = 20_000;

const fetchOne = await contender({
  origin,
  uid: String(bytes),
  apiKey: "0123456789abcdef0123456789abcdef",
  values,
  folder: "",
});

/** @param {number} count */
async function run(count) {
  let left = count;
  const lane = async (/** @type {number} */ slot) => {
    while (left-- > 0) {
      const length = await fetchOne(slot);
      if (length !== bytes) throw new Error(`${length} bytes came instead of ${bytes}.`);
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, (_, slot) => lane(slot)));
}

await run(warmUp);
const before = process.cpuUsage();
await run(Number(documents));
const { user, system } = process.cpuUsage(before);
const { rss } = process.memoryUsage();
collectGarbage();
process.send?.({
  microseconds: (user + system) / Number(documents),
  rss,
  heap: process.memoryUsage().heapUsed,
});
process.disconnect();
process.exit();
