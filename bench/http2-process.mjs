// One contender of bench/http2.mjs in a process of its own: warms up, then reports what its documents cost.
// node http2-process.mjs <contender> <origin> <bytes> <in flight> <file of the authority>
import { readFileSync } from "node:fs";
import { TemplatePdf } from "template-pdf";
import { Agent } from "undici";
import { values } from "./shared/values.mjs";

const [contender, baseUrl, bytes, inFlight, authorityFile] = process.argv.slice(2);
const connect = { ca: readFileSync(authorityFile) };
const warmUpMs = 1_500;
const measuredMs = 4_000;

/** The dispatchers of a caller; whatever has none here goes by the client's own agent. */
const dispatchers = {
  "HTTP/1.1": () => new Agent({ connect }),
  "HTTP/2": () => new Agent({ connect, allowH2: true }),
  // Undici shares a connection between POSTs only if it is told to, and that each may be sent twice.
  "HTTP/2, shared": () =>
    new Agent({ connect, allowH2: true, pipelining: 100 }).compose(
      (dispatch) => (options, handler) => dispatch({ ...options, idempotent: true }, handler),
    ),
};

const dispatcher = dispatchers[contender]?.();
const pdfs = new TemplatePdf({ baseUrl, apiKey: "key-of-the-bench", ...(dispatcher && { dispatcher }) });
const errors = new Map();

/** Gets documents for so long, and tells how many came. */
async function run(milliseconds) {
  const end = performance.now() + milliseconds;
  let documents = 0;
  const lane = async () => {
    while (performance.now() < end) {
      try {
        const { length } = await pdfs.generate(bytes, values).bytes();
        if (length !== Number(bytes)) throw new Error(`${length} bytes instead of ${bytes}`);
        documents++;
      } catch ({ name, message }) {
        errors.set(`${name}: ${message}`, (errors.get(`${name}: ${message}`) ?? 0) + 1);
      }
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, lane));
  return documents;
}

await run(warmUpMs);
const startedAt = performance.now();
const before = process.cpuUsage();
const documents = await run(measuredMs);
const { user, system } = process.cpuUsage(before);
process.send({
  microseconds: (user + system) / documents,
  perSecond: (documents / (performance.now() - startedAt)) * 1_000,
  errors: [...errors],
});
process.disconnect();
process.exit();
