import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { InvalidPdfError, NotFoundError, TruncatedPdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, rejectionOf, transports } from "../support/service.ts";
import { framed, responseHeaders, serveRaw, wholeAnswer } from "../support/sockets.ts";
import { withoutBackOff } from "./timing.ts";

const small = fakePdf({ bytes: 2_000 });
const packed = gzipSync(small);
const damaged = Buffer.from(packed).fill(0xff, packed.length - 40, packed.length - 20);

/** Serves one response for every request, as it is, and counts the requests. */
async function serve(coding: string, body: Uint8Array, status = 200) {
  withoutBackOff();
  const answer = wholeAnswer(body, [`content-encoding: ${coding}`, "content-type: application/pdf"], status);
  return serveRaw((socket) => socket.write(answer));
}

/** Node 22 and later: `fetch` waits forever for a body that is not in its coding. */
const reporting = transports.filter(
  ([name]) => name === "undici" || Number.parseInt(process.versions.node, 10) < 22,
);

describe.each(reporting)("with %s, a body that is not in the coding of its header", (_, options) => {
  it.each([
    ["gzip", "a plain PDF", small],
    ["x-gzip", "a large plain PDF", fakePdf({ bytes: 300_000 })],
    ["gzip", "brotli", brotliCompressSync(small)],
    ["br", "gzip", packed],
    ["br", "a plain PDF", small],
    ["deflate", "gzip", packed],
    ["deflate", "a plain PDF", small],
    ["gzip, br", "brotli around a plain PDF", brotliCompressSync(small)],
  ])("causes one request and an error that names the header: %s for %s", async (coding, _what, body) => {
    const server = await serve(coding, body);
    const error = await rejectionOf(clientOf(server.origin, options).generate("inv_2024", {}).bytes());
    expect(error).toBeInstanceOf(InvalidPdfError);
    expect(String(error)).toContain(
      `with a body that is not in its content-encoding "${coding}". Disable it in the service or proxy.`,
    );
    expect(error).toMatchObject({ status: 200, attempts: 1, cause: { message: expect.any(String) } });
    expect(server.requests).toHaveLength(1);
  });

  it("keeps the status of an error response", async () => {
    const server = await serve("gzip", Buffer.from('{"message":"no such template"}'), 404);
    const error = await rejectionOf(clientOf(server.origin, options).generate("inv_2024", {}).bytes());
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ status: 404, attempts: 1 });
  });
});

describe("a document in gzip", () => {
  it.each([
    ["is truncated", packed.subarray(0, -100)],
    ["is damaged after its first bytes", damaged],
    ["has a wrong checksum", Buffer.from(packed).fill(0, packed.length - 8, packed.length - 4)],
    ["has other bytes after its end", Buffer.concat([packed, Buffer.from("garbage")])],
  ])("is requested again if it %s, even if it is small", async (_what, body) => {
    const server = await serve("gzip", body);
    const client = clientOf(server.origin, { retry: { limit: 2 } });
    const error = await rejectionOf(client.generate("inv_2024", {}).bytes());
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ["gzip", packed],
    ["GZIP , identity", packed],
    ["deflate", deflateSync(small)],
    ["br", brotliCompressSync(small)],
  ])("arrives although no coding was asked for: %s", async (coding, body) => {
    const server = await serve(coding, body);
    const bytes = await clientOf(server.origin).generate("inv_2024", {}).bytes();
    expect(Buffer.compare(bytes, small)).toBe(0);
    expect(server.requests[0]?.lines.join("\n")).not.toMatch(/accept-encoding/i);
  });
});

it("a document whose response never ends after its coding keeps no socket and no client open", async () => {
  const opening = responseHeaders(200, ["content-encoding: br", "transfer-encoding: chunked"]);
  const server = await serveRaw((socket) => {
    socket.write(opening);
    socket.write(framed(brotliCompressSync(small)));
    const more = () => socket.write(framed("more"), (error) => !error && setImmediate(more));
    more();
  });
  const client = clientOf(server.origin);
  const bytes = await client.generate("inv_2024", {}).bytes();
  expect(Buffer.compare(bytes, small)).toBe(0);
  await client.close();
  await eventually(() => server.openSockets === 0);
});
