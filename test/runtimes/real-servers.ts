import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd } from "../support/at-end.ts";
import { makeAuthority } from "../support/certificates.ts";
import { freePort } from "../support/redis-server.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

/** Servers of Debian that often stand before a service, each with a configuration of its own. */
const programs = {
  nginx: {
    files: {
      "nginx.conf": ({ folder, http, tls, dead }: Place) => `
        daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
        events {}
        http {
          access_log off; client_max_body_size 1k;
          ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
          server {
            listen 127.0.0.1:${http};
            location /denied/ { deny all; }
            location /moved/ { rewrite ^/moved/(.*)$ https://pdf.example.com/v2/$1 permanent; }
            location /secure/ { return 301 https://$host:${tls}$request_uri; }
            location /login/ { return 302 https://login.example.com/in; }
            location /private/ { auth_basic "Staff only"; auth_basic_user_file ${folder}/users; }
            location /dead/ { proxy_pass http://127.0.0.1:${dead}; }
            location /busy/ { add_header Retry-After 7 always; return 503; }
            location /empty/ { default_type application/pdf; return 200 ""; }
            location /page/ { default_type text/html; return 200 "<title>Sign in &amp; go on</title>"; }
          }
          server {
            listen 127.0.0.1:${tls} ssl;
            ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
            ssl_client_certificate ${folder}/cert.pem; ssl_verify_client on;
          }
        }`,
    },
    args: ({ folder }: Place) => ["-p", folder, "-c", "nginx.conf"],
  },
  apache2: {
    files: {
      "apache2.conf": ({ folder, http, tls }: Place) => `
        ServerRoot ${folder}
        ServerName 127.0.0.1
        PidFile ${folder}/pid
        ErrorLog ${folder}/error.log
        Mutex file:${folder}
        ${["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "alias", "ssl"].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
        User www-data
        Group www-data
        Listen 127.0.0.1:${http}
        Listen 127.0.0.1:${tls}
        DocumentRoot ${folder}/www
        ServerAdmin admin@example.com
        <Location /denied/>
          Require all denied
        </Location>
        <Location /private/>
          AuthType Basic
          AuthName "Staff only"
          AuthUserFile ${folder}/users
          Require valid-user
        </Location>
        Redirect 503 /busy/
        <VirtualHost 127.0.0.1:${tls}>
          SSLEngine on
          SSLCertificateFile ${folder}/cert.pem
          SSLCertificateKeyFile ${folder}/key.pem
        </VirtualHost>`,
    },
    args: ({ folder }: Place) => ["-D", "FOREGROUND", "-f", join(folder, "apache2.conf")],
  },
  haproxy: {
    files: {
      "haproxy.cfg": ({ http, tls, folder, dead }: Place) => `
        defaults
          mode http
          timeout connect 1s
          timeout client 5s
          timeout server 5s
          retries 0
        frontend all
          bind 127.0.0.1:${http}
          http-request deny if { path_beg /denied/ }
          http-request redirect scheme https code 308 if { path_beg /secure/ }
          http-request auth realm Staff if { path_beg /private/ }
          use_backend dead if { path_beg /dead/ }
          default_backend none
        frontend tls
          bind 127.0.0.1:${tls} ssl crt ${folder}/both.pem
        backend none
        backend dead
          server gone 127.0.0.1:${dead}
        `,
    },
    args: ({ folder }: Place) => ["-db", "-f", join(folder, "haproxy.cfg")],
  },
  caddy: {
    files: {
      Caddyfile: ({ http, tls, folder, dead }: Place) => `
        {
          admin off
          auto_https off
        }
        http://127.0.0.1:${http} {
          respond /denied/* 403
          redir /secure/* https://pdf.example.com{uri} 308
          basicauth /private/* {
            user JDJhJDE0JFhIT0dHbmF4dmJwQlp2dEs3NmlpaGVCM0FlZ0h5TU9vQjNoUFdFWVhzOEJ5TWpOSlpCNDFD
          }
          reverse_proxy /dead/* 127.0.0.1:${dead}
        }
        https://127.0.0.1:${tls} {
          tls ${folder}/cert.pem ${folder}/key.pem
        }`,
    },
    args: ({ folder }: Place) => ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"],
  },
  squid: {
    files: {
      "squid.conf": ({ http, folder }: Place) => `
        http_port 127.0.0.1:${http}
        pid_filename none
        cache_log ${folder}/cache.log
        access_log none
        cache deny all
        coredump_dir ${folder}
        pinger_enable off
        visible_hostname squid.example.com
        shutdown_lifetime 0 seconds
        auth_param basic program /usr/lib/squid/basic_ncsa_auth ${folder}/users
        auth_param basic realm Office
        acl denied dstdomain denied.test
        acl open dstdomain open.test
        acl known proxy_auth REQUIRED
        http_access deny denied
        http_access allow open
        http_access allow known
        http_access deny all`,
    },
    args: ({ folder }: Place) => ["-N", "-d", "1", "-f", join(folder, "squid.conf")],
  },
};

export type ServerName = keyof typeof programs;

interface Place {
  readonly folder: string;
  readonly http: number;
  readonly tls: number;
  /** A port on which no program listens. */
  readonly dead: number;
}

export interface RealServer {
  readonly http: number;
  readonly tls: number;
  stop(): Promise<void>;
}

/** Starts one of Debian's servers on free ports. It knows the user `user` with the password `right`. */
export async function startServer(name: ServerName): Promise<RealServer> {
  const temporary = makeTemporaryFolder(name);
  const { path: folder } = temporary;
  // These programs give up the rights of root.
  chmodSync(folder, 0o777);
  const [http, tls, dead] = [await freePort(), await freePort(), await freePort()];
  const place: Place = { folder, http, tls, dead };
  const { cert, key } = makeAuthority().issue(["127.0.0.1"]);
  const { files, args } = programs[name];
  mkdirSync(join(folder, "www"));
  const all: Record<string, string> = {
    "cert.pem": cert,
    "key.pem": key,
    "both.pem": cert + key,
    // The hash of "right" (htpasswd -m).
    users: "user:$apr1$salt$iN3YBGFI9g9emp8Zc7Ysf.\n",
  };
  for (const [file, text] of Object.entries(files)) all[file] = `${text(place)}\n`;
  for (const [file, text] of Object.entries(all)) writeFileSync(join(folder, file), text, { mode: 0o644 });
  const child = spawn(name, args(place), {
    stdio: ["ignore", "pipe", "pipe"],
    // Caddy keeps its state there.
    env: { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  // Apache ends its other processes only after this signal.
  const undo = atEnd(() => child.kill("SIGTERM"));
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  const ended = once(child, "exit").then(([code]) => `${name} ended with ${code}: ${printed}`);
  const failed = new Promise<string>((resolve) => child.once("error", ({ message }) => resolve(message)));
  const problem = await Promise.race([listens(http), ended, failed]);
  if (problem !== undefined) throw new Error(problem);
  return {
    http,
    tls,
    async stop() {
      undo();
      child.kill("SIGTERM");
      await ended;
      temporary.remove();
    },
  };
}

async function listens(port: number): Promise<undefined> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await Promise.race([
      once(socket, "connect").then(
        () => true,
        () => false,
      ),
    ]);
    socket.destroy();
    if (isOpen) return undefined;
    await sleep(50);
  }
}
