// `npm run bench -- <name> [options]` runs a benchmark. The default is the comparison with other clients.
import { readOptions, UsageError } from "./shared/options.mjs";

const names = ["compare", "bulk", "cold-start", "profile", "queue", "soak"];

const [first = "", ...rest] = process.argv.slice(2);
const isNamed = first !== "" && !first.startsWith("-");
const name = isNamed ? first : "compare";
const args = isNamed ? rest : process.argv.slice(2);

try {
  if (!names.includes(name)) throw new UsageError(`There is no benchmark "${name}".`);
  const { defaults, usage, run } = await import(`./${name}.mjs`);
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
