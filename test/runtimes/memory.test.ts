import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeProject, runNode } from "../package/consumer.ts";
import { atEnd } from "../support/at-end.ts";

const megabyte = 1024 * 1024;
const documentBytes = 4 * megabyte;
const limitBytes = 3 * documentBytes + 16 * megabyte;

/** How an answer is cut: the lengths of its chunks, again and again, and what each carries besides. */
interface Cut {
  readonly lengths: readonly number[];
  /** Of a chunk extension (RFC 9112, 7.1.1), which no client needs. */
  readonly extensionBytes?: number;
}

const cuts: Readonly<Record<string, Cut>> = {
  "in chunks of one byte": { lengths: [1] },
  "in chunks of one byte and of 5,000": { lengths: [1, 5_000] },
  "in chunks of 4,095 bytes": { lengths: [4_095] },
  "in chunks that are mostly extensions": { lengths: [4_096], extensionBytes: 15_000 },
};

const outputs = [
  "bytes()",
  "buffer()",
  "arrayBuffer()",
  "blob()",
  "stream()",
  "nodeStream()",
  "response()",
  "saveTo()",
  "iteration",
  "a document that waits",
];

let project: string;

beforeAll(() => {
  const program = readFileSync(join(import.meta.dirname, "memory/read-output.mjs"), "utf8");
  project = makeProject("memory-of-outputs", { "read-output.mjs": program });
});

describe.each(["undici", "fetch"])("The memory that a document takes by %s", (transport) => {
  // Extensions are held by `fetch` itself, below the client.
  const cutsHere = Object.entries(cuts).filter(([, cut]) => transport === "undici" || !cut.extensionBytes);

  it.each(cutsHere)(
    "is at most three times the document and 16 MB in every output: %s",
    { timeout: 300_000 },
    async (_, cut) => {
      const baseUrl = await serve(cut);
      const measure = async (output: string) =>
        JSON.parse(await runNode(project, "read-output.mjs", output, transport, baseUrl)) as {
          readonly bytes: number;
          readonly peakBytes: number;
        };
      const floor = await measure("nothing");
      for (const output of outputs) {
        let least = Number.POSITIVE_INFINITY;
        // The collector of garbage comes when it likes: what is held is held every time.
        for (let again = 0; again < 4 && least >= limitBytes; again++) {
          const { bytes, peakBytes } = await measure(output);
          expect(bytes, output).toBe(documentBytes);
          least = Math.min(least, peakBytes - floor.peakBytes);
        }
        expect(least, output).toBeLessThan(limitBytes);
      }
    },
  );
});

/** Starts a server that answers every request with the document. */
async function serve(cut: Cut): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => answer(socket, cut));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(socket: Socket, { lengths, extensionBytes = 0 }: Cut): Promise<void> {
  const body = Buffer.alloc(documentBytes, "%");
  body.write("%PDF-1.7\n");
  body.write("\n%%EOF\n", documentBytes - 7);
  const closed = once(socket, "close");
  const extension = extensionBytes === 0 ? "" : `;x=${"y".repeat(extensionBytes)}`;
  socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n");
  for (let at = 0, chunk = 0; at < documentBytes; ) {
    const parts: string[] = [];
    for (let written = 0; written < 64 * 1024 && at < documentBytes; chunk++) {
      const end = Math.min(documentBytes, at + (lengths[chunk % lengths.length] ?? 1));
      parts.push(`${(end - at).toString(16)}${extension}\r\n`, body.toString("latin1", at, end), "\r\n");
      written += end - at + extension.length;
      at = end;
    }
    if (!socket.write(parts.join(""), "latin1")) await Promise.race([once(socket, "drain"), closed]);
    if (socket.destroyed) return;
  }
  socket.end("0\r\n\r\n");
}
