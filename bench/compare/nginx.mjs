// @ts-check
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { killAtEnd } from "../shared/at-end.mjs";
import { pdfOf } from "../shared/pdf-of.mjs";

/** Debian keeps it where only the administrator looks for commands. */
const places = ["nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"];

/**
 * Where nginx is, and its version; undefined where there is none.
 *
 * @returns {{ command: string, version: string } | undefined}
 */
export function findNginx() {
  for (const command of places) {
    const { stderr } = spawnSync(command, ["-v"], { encoding: "utf8" });
    const version = /nginx\/(\S+)/.exec(stderr ?? "")?.[1];
    if (version) return { command, version };
  }
  return undefined;
}

/**
 * Starts one process of nginx that answers every POST with a file.
 *
 * @param {string} command
 * @param {string} folder - an empty one, for all that nginx reads and writes
 * @param {readonly number[]} sizes - of the documents it will be asked for
 * @param {{ cert: string, key: string }} files - paths of the certificate and its key
 */
export async function startNginx(command, folder, sizes, files) {
  const [httpPort, tlsPort] = await freePorts();
  await mkdir(join(folder, "documents"));
  for (const bytes of sizes) await writeFile(join(folder, "documents", `${bytes}.pdf`), pdfOf(bytes));
  const configuration = join(folder, "nginx.conf");
  await writeFile(configuration, configurationOf({ folder, httpPort, tlsPort, files }));
  const args = ["-p", folder, "-c", configuration, "-e", join(folder, "error.log")];
  const server = killAtEnd(spawn(command, args, { stdio: ["ignore", "ignore", "inherit"] }));
  const kill = () => void server.kill();
  try {
    await Promise.race([
      listening(tlsPort),
      once(server, "exit").then(([code]) => Promise.reject(new Error(`nginx ended at once, with ${code}.`))),
    ]);
  } catch (error) {
    kill();
    throw error;
  }
  return { http: `http://127.0.0.1:${httpPort}`, tls: `https://127.0.0.1:${tlsPort}`, kill };
}

/** @param {{ folder: string, httpPort: number, tlsPort: number, files: { cert: string, key: string } }} options */
function configurationOf({ folder, httpPort, tlsPort, files }) {
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;

  types { application/pdf pdf; }
  sendfile on;
  tcp_nopush on;
  open_file_cache max=100 inactive=1h;
  open_file_cache_valid 1h;
  etag off;
  max_ranges 0;

  keepalive_timeout 1h;
  keepalive_time 24h;
  keepalive_requests 1000000000;

  server {
    listen 127.0.0.1:${httpPort} backlog=1024;
    listen 127.0.0.1:${tlsPort} ssl backlog=1024;
    ssl_certificate ${files.cert};
    ssl_certificate_key ${files.key};
    root ${folder}/documents;
    location ~ ^/api/v1/templates/(?<bytes>[0-9]+)/generate-sync$ {
      # A POST is given no file, but the page of a refusal may be one.
      error_page 405 =200 /$bytes.pdf;
      return 405;
    }
    location / { add_header x-request-id bench; }
  }
}
`;
}

/** Two ports that nobody listens on: nginx does not choose its own. */
async function freePorts() {
  const servers = [createServer(), createServer()];
  const ports = [];
  for (const server of servers) {
    await once(server.listen(0, "127.0.0.1"), "listening");
    ports.push(/** @type {import("node:net").AddressInfo} */ (server.address()).port);
  }
  for (const server of servers) await once(server.close(), "close");
  return /** @type {[number, number]} */ (/** @type {unknown} */ (ports));
}

/** @param {number} port */
async function listening(port) {
  for (let attempt = 0; attempt < 200; attempt++) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch {
      await delay(25);
    } finally {
      socket.destroy();
    }
  }
  throw new Error("nginx does not listen.");
}
