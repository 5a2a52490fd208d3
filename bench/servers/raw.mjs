// A fast server: it answers every request on a raw socket with a prepared document.
// The uid is the size: /api/v1/templates/<bytes>/generate-sync. With a certificate, it uses TLS.
// node raw.mjs [<certificate file> <key file>]
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { pdfOf } from "../shared/pdf-of.mjs";

const [certificate, key] = process.argv.slice(2);

/** Returns the headers and the document in one buffer. */
const answers = new Map();

function answerTo(head) {
  const bytes = /^POST \/api\/v1\/templates\/(\d+)\/generate-sync HTTP\/1\.1\r\n/.exec(head)?.[1];
  if (!bytes) return "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
  let answer = answers.get(bytes);
  if (!answer) {
    const lines = `content-type: application/pdf\r\ncontent-length: ${bytes}\r\nx-request-id: bench`;
    answer = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`), pdfOf(Number(bytes))]);
    answers.set(bytes, answer);
  }
  return answer;
}

function serve(socket) {
  let pending = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    pending += chunk.toString("latin1");
    for (;;) {
      const headEnd = pending.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const head = pending.slice(0, headEnd + 4);
      // Every contender sends a length.
      const end = head.length + Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)[1]);
      if (pending.length < end) return;
      pending = pending.slice(end);
      socket.write(answerTo(head));
    }
  });
}

const server = certificate
  ? createTlsServer({ cert: readFileSync(certificate), key: readFileSync(key), noDelay: true }, serve)
  : createServer({ noDelay: true }, serve);

server.listen(0, "127.0.0.1", () => process.send?.(server.address().port));
process.on("disconnect", () => process.exit());
