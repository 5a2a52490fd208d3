import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { nextVersion } from "../bundlers/versions.ts";
import { javaScript, snippet } from "./guide.ts";
import { freePort, type Host, type RunningHost, startHost } from "./host.ts";

/** What the hosts need, as `npm install` takes it. */
export const packagesOfHosts = [
  "zod@4.6.7",
  "@hono/node-server@2.1.8",
  "hono@4.13.19",
  "express@5.3.0",
  "fastify@5.12.8",
  `next@${nextVersion}`,
  "react@19.3.1",
  "react-dom@19.3.1",
  "bun@1.4.5",
  "deno@2.9.6",
  "miniflare@4.20260730.0",
  // What miniflare runs on.
  "node-22@npm:node@22.23.3",
];

/** How a host is started: in a folder of its own below the one that has the packages, against a service. */
interface Starting {
  readonly folder: string;
  readonly packages: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A host, and how it starts. */
export interface StartableHost extends Host {
  start(starting: Starting): Promise<RunningHost>;
}

export const pdf = readFileSync(new URL("pdf.ts", import.meta.url), "utf8");

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/**
 * Programs of Node.
 *
 * @param file - of the guide
 * @param change - of its code. Default: none
 */
export function onNode(file: string, change = (code: string) => code) {
  return ({ folder, port, env }: Starting): Promise<RunningHost> => {
    write(folder, {
      "package.json": '{ "type": "module" }',
      "pdf.js": javaScript(pdf),
      "main.js": javaScript(change(snippet(file, port))),
    });
    return startHost(process.execPath, ["main.js"], { cwd: folder, port, env });
  };
}

async function onNext({ folder, packages, port, env }: Starting): Promise<RunningHost> {
  const route = "app/api/pdf/[...path]/route.ts";
  write(folder, {
    "package.json": '{ "type": "module" }',
    // In JavaScript: for TypeScript, Next.js installs packages by itself, but not in CI.
    "jsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./*"] } } }',
    "next.config.mjs": `export default { turbopack: { root: ${JSON.stringify(packages)} } };`,
    "app/layout.jsx": "export default ({ children }) => <html><body>{children}</body></html>;",
    "app/page.jsx": "export default () => <p>Documents</p>;",
    "lib/pdf.js": javaScript(pdf),
    [route.replace(/ts$/, "js")]: javaScript(snippet(route)),
  });
  const next = join(packages, "node_modules/next/dist/bin/next");
  const quiet = { ...env, NEXT_TELEMETRY_DISABLED: "1" };
  await promisify(execFile)(process.execPath, [next, "build"], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production", ...quiet },
  });
  const args = [next, "start", "--port", String(port), "--hostname", "127.0.0.1"];
  return startHost(process.execPath, args, { cwd: folder, port, env: quiet });
}

function onBun({ folder, packages, port, env }: Starting): Promise<RunningHost> {
  write(folder, { "pdf.ts": pdf, "main.ts": snippet("bun.ts", port) });
  return startHost(join(packages, "node_modules/.bin/bun"), ["main.ts"], { cwd: folder, port, env });
}

function onDeno({ folder, packages, port, env }: Starting): Promise<RunningHost> {
  write(folder, { "pdf.ts": pdf, "main.ts": snippet("deno.ts", port) });
  const args = ["run", "--allow-net", "--allow-env", "--node-modules-dir=manual", "main.ts"];
  return startHost(join(packages, "node_modules/.bin/deno"), args, {
    cwd: folder,
    port,
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
  });
}

/** As wrangler does it: bundled for workerd, with the variables as bindings. */
export function onWorkers(flags: readonly string[], pdfModule = pdf) {
  return async ({ folder, packages, port, env }: Starting): Promise<RunningHost> => {
    write(folder, {
      "pdf.ts": pdfModule,
      "client.ts": snippet("client.ts"),
      "worker.ts": snippet("worker.ts"),
    });
    await build({
      entryPoints: [join(folder, "worker.ts")],
      outfile: join(folder, "worker.js"),
      bundle: true,
      format: "esm",
      target: "es2022",
      conditions: ["workerd", "worker", "browser"],
      external: ["cloudflare:*", "node:*"],
      absWorkingDir: folder,
      logLevel: "error",
    });
    const options = {
      host: "127.0.0.1",
      port,
      modules: true,
      scriptPath: "worker.js",
      compatibilityDate: "2026-04-01",
      compatibilityFlags: flags,
      bindings: env,
    };
    write(folder, {
      "main.mjs": `import { Miniflare } from "miniflare";\nawait new Miniflare(${JSON.stringify(options)}).ready;\n`,
    });
    const node = join(packages, "node_modules/node-22/bin/node");
    return startHost(node, ["main.mjs"], { cwd: folder, port, env: {} });
  };
}

/** Starts a host in a folder of its own. */
export async function startOn(
  host: Pick<StartableHost, "title" | "start">,
  packages: string,
  env: Starting["env"],
): Promise<RunningHost> {
  const folder = join(packages, "hosts", host.title.replaceAll(/\W+/g, "-"));
  return host.start({ folder, packages, port: await freePort(), env });
}

const mounted = {
  mount: "/api/pdf",
  servesEveryPath: false,
  tellsLength: true,
  breaksOff: true,
  takesRest: true,
  seesLeavingBy: "closing",
  ownHeaders: [],
} as const;
const anywhere = { ...mounted, servesEveryPath: true };

export const hosts: readonly StartableHost[] = [
  { title: "node:http", ...anywhere, start: onNode("node-http.ts") },
  { title: "Express 5", ...mounted, ownHeaders: ["x-powered-by"], start: onNode("express.ts") },
  { title: "Fastify 5", ...mounted, start: onNode("fastify.ts") },
  { title: "Hono on Node", ...mounted, start: onNode("hono.ts") },
  { title: "Next.js 16", ...mounted, tellsLength: false, start: onNext },
  { title: "Bun", ...anywhere, tellsLength: false, start: onBun },
  { title: "Deno", ...anywhere, start: onDeno },
  {
    title: "workerd",
    ...anywhere,
    seesLeavingBy: "resetting",
    breaksOff: false,
    takesRest: false,
    start: onWorkers(["nodejs_compat"]),
  },
];
