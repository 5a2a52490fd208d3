import { TemplatePdf, TruncatedPdfError } from "template-pdf";
import { describe, expect, it, onTestFinished } from "vitest";
import { fault, type Step } from "../../src/service/faults/fault-script.ts";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { forms } from "../client/every-form.ts";
import { FaultServer } from "../support/faults/fault-server.ts";
import { rejectionOf } from "../support/service.ts";

/** More than an unread document may hold, and little enough to fit into what is read from the socket by then. */
const document = fakePdf({ bytes: 70_000 });

const raw = (text: string): Step => ({ do: "write", bytes: text });
const size = document.length.toString(16);

/** The ways in which an answer ends its connection, all of them at once with its last byte. */
const endings: readonly (readonly [string, readonly Step[]])[] = [
  ["HTTP/1.0", [raw("HTTP/1.0 200 OK\r\n\r\n"), { do: "write", bytes: document }]],
  [
    "a length and `Connection: close`",
    [
      raw(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${document.length}\r\n\r\n`),
      { do: "write", bytes: document },
    ],
  ],
];

const cutOff: readonly (readonly [string, readonly Step[]])[] = [
  ["HTTP/1.0", [raw("HTTP/1.0 200 OK\r\n\r\n"), { do: "write", bytes: document.subarray(0, -8) }]],
  [
    "a length and `Connection: close`",
    [
      raw(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${document.length}\r\n\r\n`),
      { do: "write", bytes: document.subarray(0, -8) },
    ],
  ],
  [
    "chunks and `Connection: close`",
    [
      raw(`HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\n`),
      { do: "write", bytes: document },
    ],
  ],
];

// By undici only: what a fetch of Node does with it is nobody's to mend here (nodejs/undici#5360).
describe("a document whose connection ends before anybody reads it", () => {
  /** Awaits the document, and then the end of its connection on both sides. */
  async function arrived(steps: readonly Step[]) {
    const server = await FaultServer.start({ document });
    server.fail(fault("the answer, and the end of its connection", () => [...steps, { do: "end" }]));
    const client = new TemplatePdf({ baseUrl: server.baseUrl, apiKey: "key-of-the-tests", retry: false });
    onTestFinished(async () => {
      await server.close();
      await client.close();
    });
    const pdf = await client.generate("invoice", {});
    await server.until(({ playing, openSockets }) => playing === 0 && openSockets === 0);
    return pdf;
  }

  describe.each(endings)("with %s", (_, steps) => {
    it.each(forms)("is whole: %s", async (_, read) => {
      expect(Buffer.compare(await read(await arrived(steps)), document)).toBe(0);
    });
  });

  it.each(cutOff)("is cut off where its end is missing, with %s", async (_, steps) => {
    const pdf = await arrived(steps);
    expect(await rejectionOf(pdf.bytes())).toBeInstanceOf(TruncatedPdfError);
  });
});
