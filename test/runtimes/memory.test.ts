import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeProject, runNode } from "../package/consumer.ts";
import { framed, listenRaw, responseHeaders } from "../support/sockets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Measures the memory of separate processes: what remains after garbage collection, and the peak. */

const megabyte = 1024 * 1024;

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8");
const project = makeProject("memory", {
  "read-outputs.mjs": read("memory/read-outputs.mjs"),
  "run-bulk.mjs": read("memory/run-bulk.mjs"),
});

/** Starts a server that responds to every request with a document of this size, in chunks of one byte if it is chunked. */
async function serve(bytes: number, isChunked: boolean): Promise<string> {
  const body = Buffer.alloc(bytes, "%");
  body.write("%PDF-1.7\n");
  body.write("\n%%EOF\n", bytes - 7);
  const sent = isChunked ? Buffer.concat([...body].map((byte) => framed(Buffer.of(byte)))) : body;
  const size = 64 * 1024;
  const server = await listenRaw(async (socket) => {
    await once(socket, "data");
    const closed = once(socket, "close");
    const framing = isChunked ? "transfer-encoding: chunked" : `content-length: ${bytes}`;
    socket.write(responseHeaders(200, [framing, "connection: close"]));
    for (let at = 0; at < sent.length && !socket.destroyed; at += size)
      if (!socket.write(sent.subarray(at, at + size))) await Promise.race([once(socket, "drain"), closed]);
    socket.end(isChunked ? framed("") : "");
  });
  onTestFinished(() => server.close());
  return server.origin;
}

const inMemory = ["bytes()", "buffer()"];
const streamed = [
  "saveTo()",
  "a slow reader of stream()",
  "a slow reader of nodeStream()",
  "a slow iteration",
];
const all = [...inMemory, "blob()", "response()", "a document that waits", ...streamed];

it.each<
  [
    transport: string,
    megabytes: number,
    how: string,
    row: { readonly outputs: string[]; readonly heldMegabytes: number; readonly peakMegabytes: number },
  ]
>([
  [
    "undici",
    0.25,
    "that is sent in chunks of one byte",
    { outputs: all, heldMegabytes: 15, peakMegabytes: 100 },
  ],
  [
    "fetch",
    0.25,
    "that is sent in chunks of one byte",
    { outputs: all, heldMegabytes: 15, peakMegabytes: 100 },
  ],
  ["undici", 120, "that is buffered", { outputs: inMemory, heldMegabytes: 150, peakMegabytes: 200 }],
  ["undici", 120, "that is streamed", { outputs: streamed, heldMegabytes: 50, peakMegabytes: 80 }],
])(
  "the %s transport uses a limited amount of memory for a %d MB document %s",
  { timeout: 300_000 },
  async (transport, megabytes, how, { outputs, heldMegabytes, peakMegabytes }) => {
    const size = megabytes * megabyte;
    const baseUrl = await serve(size, how.includes("chunks"));
    const settings = JSON.stringify({ outputs, transport, baseUrl, bytes: size });
    // Garbage that other threads collect would be counted on a busy machine.
    const flags = ["--expose-gc", "--single-threaded-gc"];
    const printed = await runNode(project, ...flags, "read-outputs.mjs", settings);
    const found: Record<string, { bytes: number; held: number; peak: number }> = JSON.parse(printed);
    expect(Object.keys(found)).toEqual(outputs);
    for (const [output, { bytes, held, peak }] of Object.entries(found)) {
      expect(bytes, output).toBe(size);
      expect(held / megabyte, output).toBeLessThan(heldMegabytes);
      expect(peak / megabyte, output).toBeLessThan(peakMegabytes);
    }
  },
);

it.each([
  ["generateMany", 0],
  // The journal keeps 24 bytes of hashes and 4 of an index for a job, in tables that are up to four times as large.
  ["runBulk", 160],
])(
  "%s uses hardly any more memory after 50,000 jobs than after 5,000 jobs",
  { timeout: 240_000 },
  async (kind, perJobBytes) => {
    const count = 50_000;
    const settings = JSON.stringify({ kind, count, journal: join(temporaryFolder(), "run.journal") });
    const printed = await runNode(project, "--expose-gc", "run-bulk.mjs", settings);
    const { done, measured, warnings } = JSON.parse(printed);
    const [early, late] = measured;
    expect({ done, warnings }).toEqual({ done: count, warnings: [] });
    expect(late.ownBytes - early.ownBytes).toBeLessThan(2 * megabyte + count * perJobBytes);
    // A process does not return memory.
    expect(late.rss - early.rss).toBeLessThan(64 * megabyte + count * perJobBytes);
  },
);
