import { measureInTurn, mediansOf } from "./measure/in-turn.mjs";
import { dispatchers } from "./measure/many.mjs";
import { startProgram, writeCertificate } from "./servers/start.mjs";
import { describeMachine } from "./shared/machine.mjs";
import { printTable } from "./shared/tables.mjs";

export const defaults = { rounds: 3, seconds: 4 };

export const usage = `Compares HTTP/2 with HTTP/1.1 over TLS for a server that takes 50 ms per document: documents per second, CPU time and sockets,
for 2 kB and 50 kB with 20 and 200 in flight. It takes five minutes. docs/decisions/0018-http-2.md has the results.

  --rounds <n>    rounds of each contender (default: 3)
  --seconds <n>   seconds of each round (default: 4)`;

export async function run({ rounds, seconds }) {
  const { cert, key, authorityFile } = await writeCertificate();
  const origin = await startProgram("http2.mjs", cert, key);
  describeMachine();
  const warmUp = { documents: 0, seconds: Math.min(seconds, 2) };
  for (const bytes of [2_000, 50_000]) {
    for (const inFlight of [20, 200]) {
      const print = printTable([`${bytes} bytes, ${inFlight} in flight`, "documents/s", "CPU µs", "sockets"]);
      const plans = Object.keys(dispatchers).map((contender) => {
        return { contender, origin, bytes, inFlight, warmUp, measured: { documents: 0, seconds } };
      });
      for (const [name, readings] of await measureInTurn(plans, rounds, { authorityFile })) {
        const medians = mediansOf(readings, ["perSecond", "cpuMicroseconds", "sockets"]);
        print([name, ...Object.values(medians).map((median) => median.toFixed(0))]);
      }
    }
  }
}
