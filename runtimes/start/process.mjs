// For Node, Bun and Deno: reads the settings from the command line, and prints the results.
import { runSmoke } from "../smoke/run.mjs";

runSmoke(JSON.parse(globalThis.process.argv[2])).then((results) => console.log(JSON.stringify(results)));
