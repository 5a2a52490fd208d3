// A server that costs little: it answers every request on a raw socket with one of three ready-made documents.
// Sizes are picked by the uid: /api/v1/templates/<bytes>/generate-sync.
import { createServer } from "node:net";

/** A PDF-shaped document of exactly `bytes` bytes, head included, ready to be written. */
function answerOf(bytes) {
  const body = Buffer.alloc(bytes, "0123456789abcdef\n");
  body.write("%PDF-1.7\n");
  body.write("\n%%EOF\n", bytes - 7);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: ${bytes}\r\nx-request-id: bench\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

const answers = new Map([2_000, 50_000, 1_000_000].map((bytes) => [String(bytes), answerOf(bytes)]));

const server = createServer({ noDelay: true }, (socket) => {
  let pending = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    pending += chunk.toString("latin1");
    for (;;) {
      const headEnd = pending.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const head = pending.slice(0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < headEnd + 4 + length) return;
      pending = pending.slice(headEnd + 4 + length);
      socket.write(answers.get(/templates\/(\d+)\//.exec(head)?.[1] ?? "2000"));
    }
  });
});

server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
process.on("disconnect", () => process.exit());
