// CPU time per document, ours beside the alternatives, in alternating rounds of fresh processes.
// node bench/cpu.mjs [rounds]
import { fork } from "node:child_process";
import { once } from "node:events";

const rounds = Number(process.argv[2] ?? 5);
const inFlight = 20;
const names = ["undici dispatch", "undici request", "global fetch", "template-pdf bytes()"];
const sizes = [
  { bytes: 2_000, documents: 12_000 },
  { bytes: 50_000, documents: 6_000 },
  { bytes: 1_000_000, documents: 600 },
];

const file = (name) => new URL(name, import.meta.url).pathname;
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

const server = fork(file("server.mjs"));
const [port] = await once(server, "message");
const origin = `http://127.0.0.1:${port}`;

console.log(
  `CPU µs per document, median of ${rounds} rounds, ${inFlight} in flight, Node ${process.version}; in brackets × bare dispatch`,
);
for (const { bytes, documents } of sizes) {
  const readings = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const contender = fork(file("contender.mjs"), [name, origin, bytes, documents, inFlight].map(String));
      const [reading] = await once(contender, "message");
      readings.get(name).push(reading.microseconds);
    }
  }
  const bare = median(readings.get("undici dispatch"));
  const cells = names.map((name) => {
    const own = median(readings.get(name));
    return `${name} ${own.toFixed(0)} (${(own / bare).toFixed(2)})`;
  });
  console.log(`${String(bytes).padStart(9)} bytes: ${cells.join("  ")}`);
}
server.kill();
