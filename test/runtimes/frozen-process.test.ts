import { execFileSync, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeProject } from "../package/consumer.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { eventually } from "../support/eventually.ts";
import { responseHeaders, serveRaw } from "../support/sockets.ts";

/** Tests what docs/guides/proxies-and-tls.md says about functions that are frozen between two calls, with a stopped process. */

/** Generates a document for every line that it reads, and prints the result. */
const program = `
  import { createInterface } from "node:readline";
  import { TemplatePdf } from "template-pdf";
  const [baseUrl, retry] = process.argv.slice(2);
  const apiKey = "key-of-the-tests";
  const pdfs = new TemplatePdf({ baseUrl, apiKey, retry: JSON.parse(retry), timeouts: { firstByte: 500 } });
  for await (const uid of createInterface({ input: process.stdin })) {
    const outcome = await pdfs.generate(uid, {}).bytes().then(() => "document", ({ code }) => code);
    console.log(outcome);
  }`;

const pdf = "%PDF-1.4\nwarm\n%%EOF\n";

/** Lets a function generate a document, freezes it, changes its connection, and calls it again. */
async function callAgainAfter(
  retry: object,
  whileFrozen: (socket: Socket, forgotten: Set<Socket>) => unknown,
) {
  const forgotten = new Set<Socket>();
  const sockets = new Set<Socket>();
  const server = await serveRaw((socket) => {
    sockets.add(socket);
    if (!forgotten.has(socket)) socket.write(responseHeaders(200, [`content-length: ${pdf.length}`]) + pdf);
  });
  const folder = makeProject("frozen", { "function.mjs": program });
  const child = spawn(process.execPath, ["function.mjs", server.origin, JSON.stringify(retry)], {
    cwd: folder,
    env: environmentOfUsers(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const outcomes = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write("first\n");
  expect(await outcomes.next()).toMatchObject({ value: "document" });
  child.kill("SIGSTOP");
  await eventually(() => execFileSync("ps", ["-o", "stat=", "-p", `${child.pid}`]).includes("T"));
  for (const socket of sockets) await whileFrozen(socket, forgotten);
  child.stdin.write("second\n");
  child.kill("SIGCONT");
  const { value: outcome } = await outcomes.next();
  return { outcome, requests: server.requests.length, connections: server.allSockets };
}

const endConnection = (socket: Socket) => new Promise<void>((resolve) => socket.end(resolve));
const forgetConnection = (socket: Socket, forgotten: Set<Socket>) => forgotten.add(socket);
const mayRenderTwice = false;

describe.runIf(process.platform !== "win32")("a serverless function that was frozen", () => {
  it.each([
    [
      "reuses an intact connection",
      {
        retry: { limit: 0 },
        whileFrozen: () => {},
        expected: { outcome: "document", requests: 2, connections: 1 },
      },
    ],
    [
      "reconnects if the connection was closed",
      {
        retry: { mayRenderTwice },
        whileFrozen: endConnection,
        expected: { outcome: "document", requests: 2, connections: 2 },
      },
    ],
    [
      "reconnects and retries if the service lost the connection",
      {
        retry: { limit: 1 },
        whileFrozen: forgetConnection,
        expected: { outcome: "document", requests: 3, connections: 2 },
      },
    ],
    [
      "does not retry if `mayRenderTwice` is false",
      {
        retry: { mayRenderTwice },
        whileFrozen: forgetConnection,
        expected: { outcome: "timeout", requests: 2, connections: 1 },
      },
    ],
  ])("%s", async (_title, { retry, whileFrozen, expected }) => {
    const { outcome, requests, connections } = await callAgainAfter(retry, whileFrozen);
    expect({ outcome, requests, connections: Math.min(connections, 2) }).toEqual(expected);
  });
});
