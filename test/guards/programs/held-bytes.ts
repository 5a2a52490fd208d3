// Prints how many bytes of the heap a call holds while it waits for its answer.
import { collectGarbage } from "../../../bench/shared/collect-garbage.mjs";
import { ask, clientInMemory } from "../calls.ts";

const inFlight = 1_000;
const client = clientInMemory(false);

async function sendMany(): Promise<void> {
  for (let left = inFlight; left > 0; left--) void ask(client);
  // Requests leave at the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
}

await sendMany();
const before = process.memoryUsage().heapUsed;
await sendMany();
console.log(Math.round((process.memoryUsage().heapUsed - before) / inFlight));
process.exit();
