// Prints how many bytes are allocated for a document: of the heap, and of memory outside it, where the document is.
// Right only where nothing is collected meanwhile.
import { clientInMemory, getMany } from "../calls.ts";

const documents = 2_000;
const client = clientInMemory(true);
await getMany(client, documents, 1);

const before = process.memoryUsage();
await getMany(client, documents, 1);
const after = process.memoryUsage();
console.log(
  JSON.stringify({
    heap: Math.round((after.heapUsed - before.heapUsed) / documents),
    outside: Math.round((after.arrayBuffers - before.arrayBuffers) / documents),
  }),
);
