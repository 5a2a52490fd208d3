// Node, Bun and Deno: the settings come on the command line, and the results leave on standard output.
import { runSmoke } from "../smoke/run.mjs";

runSmoke(JSON.parse(globalThis.process.argv[2])).then((results) => console.log(JSON.stringify(results)));
