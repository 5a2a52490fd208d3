import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { filesIn } from "../../support/blocks-of.ts";
import { javaScriptOf } from "../../support/compile.ts";
import { type RunningProgram, startProgram } from "../../support/programs.ts";
import { nodeOf, programOf, runtimesFolder } from "../installed.ts";

/** What the hosts and the guide's files import, as `npm install` takes it. */
export const packagesOfHosts = [
  ...["zod@4.6.7", "hono@4.13.19", "@hono/node-server@2.1.8", "express@5.3.0", "express-session@1.19.0"],
  ...["@nestjs/common@12.5.1", "@nestjs/core@12.5.1", "@nestjs/platform-express@12.5.1"],
  ...["reflect-metadata", "rxjs", "fastify@5.12.8", "@sveltejs/kit@3.2.0", "react-router@8.5.1"],
  ...["@types/express@5.0.6", "@types/express-session@1.19.0", "@types/node@20.19.43"],
];

const guide = readFileSync(
  fileURLToPath(new URL("../../../docs/guides/handler.md", import.meta.url)),
  "utf8",
);
/** The code in the tables of the guide, by the name of the server in the first column of its section. */
export const tableCode = (heading: string): ReadonlyMap<string, string> => {
  const [, section = ""] = guide.split(`${heading}\n`);
  const rows = (section.split(/^#/m)[0] ?? "").matchAll(/^\| `?([^|`]+)`? \| `([^`]+)` \|/gm);
  return new Map([...rows].map(([, server = "", code = ""]) => [server, code]));
};
const other = tableCode("## Other servers");
const codeOf = (server: string): string => {
  const code = other.get(server);
  if (code === undefined) throw new Error(`docs/guides/handler.md has no row ${server}.`);
  return code;
};
const [, serveHono = ""] = /^\| Hono \| .*`(serve\(.+?\))`/m.exec(guide) ?? [];
const [, clientOfWorker = ""] = /`(new TemplatePdf\(\{ baseUrl: env\..+?\))`/.exec(guide) ?? [];
const [, worker = ""] = /`(export default .+?)`/.exec(guide) ?? [];

const ofHandler = (file = "./pdf.js") => `import { handler } from "${file}";\n`;
const ofListener = 'import { nodeListener } from "template-pdf/handler/node";\n';

/** The files of docs/guides/handler.md by the name in their first line, and those that its rows and sentences stand for. */
export const snippets = new Map([
  ...filesIn(guide),
  [
    "nest.ts",
    `import { NestFactory } from "@nestjs/core";
    ${ofListener}import { AppModule } from "./app.module.js";
    ${ofHandler()}
    async function bootstrap() {
      const app = await NestFactory.create(AppModule);
      ${codeOf("NestJS")};
      await app.listen(3000);
    }
    bootstrap();`,
  ],
  [
    "node-http.ts",
    `import { createServer } from "node:http";\n${ofListener}${ofHandler()}${codeOf("node:http")};`,
  ],
  [
    "hono.ts",
    `import { serve } from "@hono/node-server";\nimport { Hono } from "hono";\n${ofHandler()}
    const app = new Hono();\n${codeOf("Hono")};\n${serveHono};`,
  ],
  ["worker.ts", `${ofHandler("./pdf")}${worker}`],
  [
    "client.ts",
    `import { env } from "cloudflare:workers";\nimport { TemplatePdf } from "template-pdf";\nexport const client = ${clientOfWorker};`,
  ],
  ["bun.ts", `${ofHandler("./pdf")}${codeOf("Bun")};`],
  ["deno.ts", `${ofHandler("./pdf.ts")}${codeOf("Deno")};`],
  ["src/routes/api/pdf/[...path]/+server.ts", `${ofHandler("$lib/server/pdf")}${codeOf("SvelteKit")};`],
  [
    "app/routes/api.pdf.$.ts",
    `${ofHandler("~/pdf.server")}${codeOf("React Router")};\nexport const loader = action;`,
  ],
]);

/** One of these files, which listens on any free port. */
function snippet(file: string): string {
  const code = snippets.get(file);
  if (code === undefined) throw new Error(`docs/guides/handler.md has no ${file}.`);
  return code.replaceAll("3000", "0");
}

/** How a host is started: in a folder of its own below the one that has the packages, against a service. */
interface Starting {
  readonly folder: string;
  readonly packages: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a server that carries the handler differs from the others. */
export interface HostFacts {
  /** Whether `content-length` reaches the caller. */
  readonly tellsLength: boolean;
  /** Whether it breaks a truncated response of unknown length; else it ends that as if it were whole. */
  readonly breaksOff: boolean;
  /** Whether it reads the rest of a body that was refused; else it may reset the connection. */
  readonly takesRest: boolean;
  /** How a caller must leave before the response so that it notices. */
  readonly seesLeavingBy: "closing" | "resetting";
  /** What it adds to every response. */
  readonly ownHeaders: readonly string[];
}

/** A server that carries the handler. */
export interface Host extends HostFacts {
  readonly title: string;
  start(starting: Starting): Promise<RunningProgram>;
}

/** What a host prints once it listens. */
const toldPort = /^Listening on (\d+)$/m;

/** Loaded before a host that prints nothing by itself. */
const tellPortOfNode = `
import { Server } from "node:net";
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once("listening", () => console.log("Listening on " + this.address().port));
  return listen.apply(this, args);
};
`;
const tellPortOfBun = `
const { serve } = Bun;
Bun.serve = (options) => {
  const server = serve(options);
  console.log("Listening on " + server.port);
  return server;
};
`;

/** What the snippets import in addition to the handler: a stand-in for modules of the user. */
const otherModules = {
  "app.module.js": `
    import { Module } from "@nestjs/common";
    export class AppModule {}
    Module({})(AppModule);`,
  "invoices.js": `
    const invoices = { 17: { owner: "ada", date: "20 November 2026", total: "£17" } };
    export const invoiceOf = async (number) => invoices[number];`,
};

/** Starts workerd, by the miniflare of the folder that it is told. */
const workerdMain = `
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const { Miniflare } = createRequire(process.argv[2])("miniflare");
const { port } = await new Miniflare(JSON.parse(readFileSync("options.json", "utf8"))).ready;
console.log("Listening on " + port);
`;

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
  return ({ folder, env }: Starting): Promise<RunningProgram> => {
    write(folder, {
      "package.json": '{ "type": "module" }',
      "pdf.js": javaScriptOf(pdf),
      ...otherModules,
      "main.js": javaScriptOf(change(snippet(file))),
      "tell-port.mjs": tellPortOfNode,
    });
    const args = ["--import", "./tell-port.mjs", "main.js"];
    return startProgram(process.execPath, args, { cwd: folder, env, ready: toldPort });
  };
}

function onBun({ folder, env }: Starting): Promise<RunningProgram> {
  write(folder, { "pdf.ts": pdf, "main.ts": snippet("bun.ts"), "tell-port.mjs": tellPortOfBun });
  const args = ["--preload", "./tell-port.mjs", "main.ts"];
  return startProgram(programOf("bun"), args, { cwd: folder, env, ready: toldPort });
}

function onDeno({ folder, env }: Starting): Promise<RunningProgram> {
  write(folder, { "pdf.ts": pdf, "main.ts": snippet("deno.ts") });
  const args = ["run", "--allow-net", "--allow-env", "--node-modules-dir=manual", "main.ts"];
  return startProgram(programOf("deno"), args, {
    cwd: folder,
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    ready: /^Listening on http:\/\/[^:]+:(\d+)\//m,
  });
}

/** As wrangler does it: bundled for workerd, with the variables as bindings. */
export function onWorkers(flags: readonly string[], pdfModule = pdf) {
  return async ({ folder, env }: Starting): Promise<RunningProgram> => {
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
      port: 0,
      modules: true,
      scriptPath: "worker.js",
      compatibilityDate: "2026-04-01",
      compatibilityFlags: flags,
      bindings: env,
    };
    write(folder, { "main.mjs": workerdMain, "options.json": JSON.stringify(options) });
    const args = ["main.mjs", join(runtimesFolder, "package.json")];
    return startProgram(nodeOf(22), args, { cwd: folder, ready: toldPort });
  };
}

/** Starts a host in a folder of its own. */
export function startOn(
  host: Pick<Host, "title" | "start">,
  packages: string,
  env: Starting["env"],
): Promise<RunningProgram> {
  const folder = join(packages, "hosts", host.title.replaceAll(/\W+/g, "-"));
  return host.start({ folder, packages, env });
}

export const usual = {
  tellsLength: true,
  breaksOff: true,
  takesRest: true,
  seesLeavingBy: "closing",
  ownHeaders: [],
} as const;

export const hosts: readonly Host[] = [
  { title: "node:http", ...usual, start: onNode("node-http.ts") },
  { title: "Express 5", ...usual, ownHeaders: ["x-powered-by"], start: onNode("express.ts") },
  { title: "NestJS 12", ...usual, ownHeaders: ["x-powered-by"], start: onNode("nest.ts") },
  { title: "Fastify 5", ...usual, start: onNode("fastify.ts") },
  { title: "Hono on Node", ...usual, start: onNode("hono.ts") },
  { title: "Bun", ...usual, tellsLength: false, start: onBun },
  { title: "Deno", ...usual, start: onDeno },
  {
    title: "workerd",
    ...usual,
    seesLeavingBy: "resetting",
    breaksOff: false,
    takesRest: false,
    start: onWorkers(["nodejs_compat"]),
  },
];
