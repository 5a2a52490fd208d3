import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { killAtEnd, makeTemporaryFolder } from "../shared/at-end.mjs";
import { importSource } from "../shared/import-source.mjs";

/** The description of the server for all contenders. */
export const serverName = `raw sockets in Node ${process.version}`;

/** Starts the server for all contenders: one process for HTTP and one for TLS. */
export async function startServer() {
  const { cert, key, authorityFile } = await writeCertificate();
  return {
    http: await startProgram("raw.mjs"),
    tls: await startProgram("raw.mjs", cert, key),
    authorityFile,
  };
}

/** Starts a server of this folder in its own process, with TLS if there is a certificate and a key, and returns its origin. */
export async function startProgram(program, ...certificate) {
  const child = killAtEnd(fork(new URL(program, import.meta.url), certificate));
  const [port] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (!child.connected) throw new Error(`The server ${program} ended before it was ready.`);
  return `${certificate.length > 0 ? "https" : "http"}://127.0.0.1:${port}`;
}

/** Writes a certificate for 127.0.0.1, its key, and the certificate of the authority that issued it; returns their paths. */
export async function writeCertificate() {
  const { makeAuthority } = await importSource('export * from "./test/support/certificates.ts";');
  const authority = makeAuthority("Authority of the benchmark");
  const texts = { ...authority.issue(["127.0.0.1", "localhost"]), authorityFile: authority.cert };
  const folder = makeTemporaryFolder("certificate");
  const paths = Object.entries(texts).map(([name, text]) => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, text, { mode: 0o600 });
    return [name, path];
  });
  return Object.fromEntries(paths);
}
