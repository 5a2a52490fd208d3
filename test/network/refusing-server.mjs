// Refuses every request as soon as its first bytes have come, and goes on as servers do. In a process of its own,
// because what matters is who is faster: the refusal, or the news that the connection is gone.
import { createServer } from "node:net";

const body = JSON.stringify({ message: "at most one megabyte" });
const refusal = `HTTP/1.1 413 Content Too Large\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;

/** @type {Record<string, (socket: import("node:net").Socket) => void>} */
const manners = {
  halfCloses: (socket) => {
    socket.end(refusal);
    socket.resume();
  },
  halfClosesUnread: (socket) => socket.end(refusal),
  closes: (socket) => socket.end(refusal, () => socket.destroy()),
  resets: (socket) => socket.write(refusal, () => socket.resetAndDestroy()),
};

/** @type {Record<string, number>} */
const ports = {};
for (const [name, refuse] of Object.entries(manners)) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.pause();
      refuse(socket);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  ports[name] = typeof address === "object" && address ? address.port : 0;
}
process.send?.(ports);
process.on("disconnect", () => process.exit());
