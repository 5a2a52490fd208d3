import { once } from "node:events";
import { appendFileSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { endingOf, main, start } from "../cli/command.ts";
import { folderOf } from "../cli/types-command.ts";
import { makeProject, runNode } from "../package/consumer.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

/** Measures the memory of separate processes: what remains after garbage collection, and the peak. */

const megabyte = 1024 * 1024;

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");
const project = makeProject("memory", {
  "read-outputs.mjs": read("memory/read-outputs.mjs"),
  "run-bulk.mjs": read("memory/run-bulk.mjs"),
});

/** How a response is split: the lengths of its chunks, repeated, and what each chunk contains in addition. */
interface Cut {
  readonly bytes: number;
  /** Without chunks, the response has a `content-length`. */
  readonly chunks?: readonly number[];
  /** The length of a chunk extension (RFC 9112, 7.1.1), which no client needs. */
  readonly extensionBytes?: number;
}

/** Starts a server that responds to every request with the document. */
async function serve(cut: Cut): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => answer(socket, cut));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(socket: Socket, { bytes, chunks, extensionBytes = 0 }: Cut): Promise<void> {
  const body = Buffer.alloc(bytes, "%");
  body.write("%PDF-1.7\n");
  body.write("\n%%EOF\n", bytes - 7);
  const closed = once(socket, "close");
  const extension = extensionBytes === 0 ? "" : `;x=${"y".repeat(extensionBytes)}`;
  const framing = chunks ? "transfer-encoding: chunked" : `content-length: ${bytes}`;
  socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\nconnection: close\r\n\r\n`);
  for (let at = 0, chunk = 0; at < bytes; ) {
    const parts: string[] = [];
    for (let written = 0; written < 64 * 1024 && at < bytes; chunk++) {
      const end = Math.min(bytes, at + (chunks?.[chunk % chunks.length] ?? 64 * 1024));
      const data = body.toString("latin1", at, end);
      parts.push(chunks ? `${(end - at).toString(16)}${extension}\r\n${data}\r\n` : data);
      written += end - at + extension.length;
      at = end;
    }
    if (!socket.write(parts.join(""), "latin1")) await Promise.race([once(socket, "drain"), closed]);
    if (socket.destroyed) return;
  }
  socket.end(chunks ? "0\r\n\r\n" : "");
}

const inMemory = ["bytes()", "buffer()", "arrayBuffer()"];
const flat = ["saveTo()", "a slow reader of stream()", "a slow reader of nodeStream()", "a slow iteration"];
const all = [
  ...inMemory,
  ...["blob()", "stream()", "nodeStream()", "response()", "saveTo()", "iteration", "a document that waits"],
];

const rows: readonly (readonly [
  title: string,
  cut: Cut,
  outputs: readonly string[],
  heldMegabytes: number,
  peakMegabytes: number,
])[] = [
  ["0.5 MB in chunks of one byte", { bytes: megabyte / 2, chunks: [1] }, all, 20, 128],
  ["4 MB in chunks of one byte and of 5,000", { bytes: 4 * megabyte, chunks: [1, 5_000] }, all, 24, 128],
  [
    "4 MB in chunks of extensions",
    { bytes: 4 * megabyte, chunks: [4_096], extensionBytes: 15_000 },
    all,
    16,
    128,
  ],
  ["240 MB of a known length, held once", { bytes: 240 * megabyte }, inMemory, 300, 400],
  ["240 MB of a known length, streamed", { bytes: 240 * megabyte }, flat, 64, 120],
];

describe.each(["undici", "fetch"])("The memory of a document with %s", (transport) => {
  // `fetch` itself buffers extensions, below the client.
  const measured = rows.filter(([, cut]) => transport === "undici" || (cut.chunks && !cut.extensionBytes));

  it.each(measured)(
    "is limited: %s",
    { timeout: 300_000 },
    async (_, cut, outputs, heldMegabytes, peakMegabytes) => {
      const settings = { outputs, transport, baseUrl: await serve(cut), bytes: cut.bytes };
      // Garbage that other threads collect would be counted on a busy machine.
      const flags = ["--expose-gc", "--single-threaded-gc"];
      const printed = await runNode(project, ...flags, "read-outputs.mjs", JSON.stringify(settings));
      const found: Record<string, { bytes: number; held: number; peak: number }> = JSON.parse(printed);
      expect(Object.keys(found)).toEqual(outputs);
      for (const [output, { bytes, held, peak }] of Object.entries(found)) {
        expect(bytes, output).toBe(cut.bytes);
        expect(held / megabyte, output).toBeLessThan(heldMegabytes);
        expect(peak / megabyte, output).toBeLessThan(peakMegabytes);
      }
    },
  );
});

it.each([
  ["generateMany", 100_000, 0],
  // The journal keeps 24 bytes of hashes and 4 of an index for a job, in tables that are up to four times as large.
  ["runBulk", 100_000, 160],
])(
  "%s over %i jobs needs no more memory at its end than after a tenth of them",
  { timeout: 240_000 },
  async (kind, count, perJobBytes) => {
    const { path, remove } = makeTemporaryFolder("memory");
    onTestFinished(remove);
    const settings = JSON.stringify({ kind, count, journal: join(path, "run.journal") });
    const printed = await runNode(project, "--expose-gc", "run-bulk.mjs", settings);
    const { done, measured, warnings } = JSON.parse(printed);
    const [early, late] = measured;
    expect({ done, warnings }).toEqual({ done: count, warnings: [] });
    expect(late.ownBytes - early.ownBytes).toBeLessThan(2 * megabyte + count * perJobBytes);
    // A process does not return memory.
    expect(late.rss - early.rss).toBeLessThan(64 * megabyte + count * perJobBytes);
  },
);

/** The peak memory of `template-pdf types` for this much NDJSON, in MiB. */
async function peakOfTypes(megabytes: number): Promise<number> {
  const cwd = folderOf({});
  const sample = (index: number) => ({
    number: `INV-${index}`,
    customer: {
      name: `Customer ${index}`,
      note: index % 2 ? null : `of no other sample: ${index}`.repeat(2),
    },
    lines: Array.from({ length: index % 5 }, (_, line) => ({
      description: `line ${line}`,
      amount: line * 1.5,
    })),
    ...(index % 7 === 0 && { reference: `word${index}` }),
  });
  for (let count = 0, written = 0; written < megabytes * megabyte; count += 5000) {
    const text = Array.from({ length: 5000 }, (_, at) => `${JSON.stringify(sample(count + at))}\n`).join("");
    appendFileSync(join(cwd, "invoice.ndjson"), text);
    written += text.length;
  }
  const preload =
    "data:text/javascript,process.on('exit', () => process.stderr.write(String(process.resourceUsage().maxRSS)));";
  const args = ["--import", preload, main, "types", "invoice.ndjson"];
  const { code, stderr } = await endingOf(start(process.execPath, args, { cwd }));
  expect(code).toBe(0);
  return Number(stderr) / 1024;
}

it("template-pdf types does not need more memory for three times as much NDJSON", {
  timeout: 60_000,
}, async () => {
  const [less, more] = [await peakOfTypes(20), await peakOfTypes(60)];
  expect(more - less).toBeLessThan(30);
  expect(more).toBeLessThan(200);
});
