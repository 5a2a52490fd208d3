// @ts-check
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { request as tlsRequest } from "node:https";
import { join } from "node:path";
import { killAtEnd } from "../shared/at-end.mjs";
import { makeCertificate } from "../shared/authority.mjs";
import { pdfOf } from "../shared/pdf-of.mjs";
import { makeTemporaryFolder } from "../shared/temporary-folder.mjs";
import { findNginx, startNginx } from "./nginx.mjs";

/**
 * @typedef {object} Server
 * @property {string} name - what it is, in words
 * @property {string} http - its origin
 * @property {string} tls - its origin
 * @property {string} authorityFile - the certificate that its clients have to trust
 * @property {() => void} stop
 */

/**
 * Starts the server of all contenders in a process of its own, and proves that its documents are whole.
 *
 * @param {readonly number[]} sizes - of the documents, in bytes
 * @param {"nginx" | "node" | undefined} kind - undefined is nginx where there is one
 * @returns {Promise<Server>}
 */
export async function startServer(sizes, kind) {
  const nginx = kind === "node" ? undefined : findNginx();
  if (kind === "nginx" && !nginx) throw new Error("There is no nginx here.");
  // The key must not outlive this run, however it ends.
  const { path: folder, remove } = makeTemporaryFolder("bench");
  let kill = () => {};
  const stop = () => {
    kill();
    remove();
  };
  try {
    const { authority, cert, key } = await makeCertificate();
    const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
    const authorityFile = join(folder, "authority.pem");
    await writeFile(authorityFile, authority);
    await writeFile(files.cert, cert);
    await writeFile(files.key, key, { mode: 0o600 });
    const home = join(folder, "server");
    await mkdir(home);
    const started = nginx ? await startNginx(nginx.command, home, sizes, files) : await startSockets(files);
    const { http, tls } = started;
    kill = started.kill;
    for (const origin of [http, tls]) for (const bytes of sizes) await proveWhole(origin, bytes, authority);
    const name = nginx ? `nginx ${nginx.version}, one process` : `raw sockets in Node ${process.version}`;
    return { name, http, tls, authorityFile, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

/** @param {{ cert: string, key: string }} files */
async function startSockets(files) {
  const program = new URL("../server.mjs", import.meta.url);
  const servers = [fork(program), fork(program, [files.cert, files.key])].map(killAtEnd);
  const kill = () => {
    for (const server of servers) server.kill();
  };
  try {
    const [http, tls] = await Promise.all(servers.map(portOf));
    return { http: `http://127.0.0.1:${http}`, tls: `https://127.0.0.1:${tls}`, kill };
  } catch (error) {
    kill();
    throw error;
  }
}

/**
 * @param {import("node:child_process").ChildProcess} server
 * @returns {Promise<number>}
 */
async function portOf(server) {
  const ended = once(server, "exit").then(([code]) => {
    throw new Error(`The server ended at once, with ${code}.`);
  });
  const [port] = await Promise.race([once(server, "message"), ended]);
  return port;
}

/**
 * @param {string} origin
 * @param {number} bytes
 * @param {string} authority
 */
async function proveWhole(origin, bytes, authority) {
  const url = `${origin}/api/v1/templates/${bytes}/generate-sync`;
  const options = { method: "POST", agent: false };
  const asked = origin.startsWith("https:")
    ? tlsRequest(url, { ...options, ca: authority })
    : request(url, options);
  asked.end("{}");
  const [answer] = await once(asked, "response");
  const document = Buffer.concat(await answer.toArray());
  const whole = pdfOf(bytes).equals(document);
  if (answer.statusCode !== 200 || answer.headers["content-length"] !== String(bytes) || !whole) {
    const got = `status ${answer.statusCode}, ${document.length} bytes, content-length ${answer.headers["content-length"]}`;
    throw new Error(`${origin} does not serve the document of ${bytes} bytes: ${got}.`);
  }
}
