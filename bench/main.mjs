// `npm run bench -- <name> [options]` runs a benchmark. The default is the comparison with other clients.
// A name of two words, such as `queue limits`, is a file in a folder.
import { readOptions, UsageError } from "./shared/options.mjs";

const queue = ["limits", "pace", "per-second", "unreadable", "power-cuts", "kills", "throughput", "adding"];
const names = [
  ...["compare", "bulk", "cold-start", "profile", "queue", "soak"],
  ...queue.map((part) => `queue ${part}`),
];

const all = process.argv.slice(2);
const firstOption = all.findIndex((argument) => argument.startsWith("-"));
const wordCount = firstOption === -1 ? all.length : firstOption;
const name = all.slice(0, wordCount).join(" ") || "compare";
const args = all.slice(wordCount);

try {
  if (!names.includes(name)) throw new UsageError(`There is no benchmark "${name}".`);
  const { defaults, usage, run } = await import(`./${name.replace(" ", "/")}.mjs`);
  if (args.includes("--help")) {
    console.log(`npm run bench -- ${name} [options]\n\n${usage}\n\nThe benchmarks: ${names.join(", ")}`);
  } else {
    await run(readOptions(defaults, args));
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message.replace(/\.$/, "")}. See --help.`);
  process.exit(2);
}
// Also ends the servers, which still run.
process.exit();
