// Prints the number of heap bytes that a call holds while it waits for the response.
import { collectGarbage } from "../../../bench/shared/collect-garbage.mjs";
import { ask, clientInMemory } from "../calls.ts";

const inFlight = 1_000;
const client = clientInMemory(false);

async function sendMany(): Promise<void> {
  for (let left = inFlight; left > 0; left--) void ask(client);
  // Requests are sent at the end of the turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
}

await sendMany();
const before = process.memoryUsage().heapUsed;
await sendMany();
console.log(Math.round((process.memoryUsage().heapUsed - before) / inFlight));
process.exit();
