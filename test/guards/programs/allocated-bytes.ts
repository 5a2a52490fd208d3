// Prints the number of bytes that are allocated for a document, on the heap and outside of it, where the document is.
// The result is correct only without garbage collection.
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
