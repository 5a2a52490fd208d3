// Prints the number of promises that generating and awaiting a document creates.
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
// Rounded, because the loop creates a few more.
console.log(Math.round(promises / documents));
