import { TruncatedPdfError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fault, pdfHead, type Step } from "../../src/service/faults/faults.ts";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { clearProxyVariables, startProxy } from "../network/proxy.ts";
import { makeAuthority } from "../support/certificates.ts";
import { FaultServer } from "../support/faults/fault-server.ts";
import { clientOf, rejectionOf } from "../support/service.ts";
import { chunkedHeaders, end, untilClose, write } from "./steps.ts";

clearProxyVariables();

/** More than an unread document buffers, but small enough to be read from the socket before the pause. */
const document = fakePdf({ bytes: 70_000 });
const closing = { connection: "close" };
const cut = write(document.subarray(0, -8));

// With undici only, because the behaviour of Node's fetch cannot be fixed here (nodejs/undici#5360).
describe("an unread document whose connection has ended", () => {
  it.each<[what: "complete" | "truncated", how: string, steps: readonly Step[]]>([
    ["complete", "in full over HTTP/1.0", [untilClose, write(document)]],
    ["complete", "in full with a declared length", [pdfHead(document.length, closing), write(document)]],
    ["truncated", "in part over HTTP/1.0", [untilClose, cut]],
    ["truncated", "in part with a declared length", [pdfHead(document.length, closing), cut]],
    [
      "truncated",
      "in chunks without the final chunk",
      [chunkedHeaders(closing), write(`${document.length.toString(16)}\r\n`), write(document)],
    ],
  ])("is recognized as %s if it was sent %s", async (what, _how, steps) => {
    const server = await FaultServer.start({ document });
    onTestFinished(() => server.close());
    server.fail(fault("the answer, and the end of its connection", () => [...steps, end]));
    for (const read of ["bytes", "stream"] as const) {
      const pdf = await clientOf(server.baseUrl).generate("invoice", {});
      await server.until(({ playing, openSockets }) => playing === 0 && openSockets === 0);
      const body =
        read === "bytes" ? pdf.bytes() : new Response(pdf.stream()).arrayBuffer().then(Buffer.from);
      if (what === "complete") expect(Buffer.compare(await body, document)).toBe(0);
      else expect(await rejectionOf(body)).toBeInstanceOf(TruncatedPdfError);
    }
  });

  it("is recognized as complete if it was sent over TLS through a proxy", async () => {
    const server = await FaultServer.start({ document, tls: makeAuthority("service.test") });
    onTestFinished(() => server.close());
    // The last write fills the buffer of the document, which pauses it. TLS would split a single write elsewhere.
    const parts = [write(document.subarray(0, 60_000)), write(document.subarray(60_000))];
    server.fail(fault("the answer, and its end", () => [pdfHead(document.length, closing), ...parts, end]));
    const proxy = await startProxy({ hosts: { "service.test:443": Number(new URL(server.baseUrl).port) } });
    vi.stubEnv("HTTPS_PROXY", proxy.origin);
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const pdf = await clientOf("https://service.test").generate("invoice", {});
    await server.until(({ playing, openSockets }) => playing === 0 && openSockets === 0);
    expect(Buffer.compare(await pdf.bytes(), document)).toBe(0);
  });
});
