// Prints how many promises it takes to get a document and to await it.
import { createHook } from "node:async_hooks";
import { clientInMemory, getMany } from "../calls.ts";

const documents = 1_000;
const client = clientInMemory(true);
await getMany(client, documents, 1);

let promises = 0;
const hook = createHook({
  init(_id, type) {
    if (type === "PROMISE") promises++;
  },
}).enable();
await getMany(client, documents, 1);
hook.disable();
// Rounded: a few more are those of the loop.
console.log(Math.round(promises / documents));
