import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { nodeOf, runtimeProgram, runtimesFolder } from "../../../scripts/runtimes.mjs";
import { filesIn } from "../../support/blocks-of.ts";
import { javaScriptOf } from "../../support/compile.ts";
import { type RunningProgram, startProgram } from "../../support/programs.ts";

/** The packages that the hosts and the files of the guide import. */
export const packagesOfHosts = [
  ...["zod@4.6.7", "hono@4.13.19", "@hono/node-server@2.1.8", "express@5.3.0"],
  ...["@nestjs/common@12.5.1", "@nestjs/core@12.5.1", "@nestjs/platform-express@12.5.1"],
  ...["reflect-metadata", "rxjs", "fastify@5.12.8", "@sveltejs/kit@3.2.0"],
  ...["@types/express@5.0.6", "@types/node@20.19.43"],
];

const guide = readFileSync(
  fileURLToPath(new URL("../../../docs/guides/handler.md", import.meta.url)),
  "utf8",
);
/** Returns the code in the table of other servers. */
const codeOf = (server: string): string => {
  const [, code] = new RegExp(`^\\| \`?${server}\`? \\| \`([^\`]+)\` \\|`, "m").exec(guide) ?? [];
  if (code === undefined) throw new Error(`docs/guides/handler.md has no row ${server}.`);
  return code;
};
const [, serveHono = ""] = /^\| Hono \| .*`(serve\(.+?\))`/m.exec(guide) ?? [];
const [, clientOfWorker = ""] = /`(new TemplatePdf\(\{ baseUrl: env\..+?\))`/.exec(guide) ?? [];
const [, worker = ""] = /`(export default .+?)`/.exec(guide) ?? [];

const ofHandler = (file = "./pdf.js") => `import { handler } from "${file}";\n`;
const ofListener = 'import { nodeListener } from "template-pdf/handler/node";\n';

/** Files of docs/guides/handler.md by the name in their first line, and files that its text describes. */
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

/** Returns one of these files, which listens on a free port. */
function snippet(file: string): string {
  const code = snippets.get(file);
  if (code === undefined) throw new Error(`docs/guides/handler.md has no ${file}.`);
  return code.replaceAll("3000", "0");
}

/** The folder of a host, and its environment. */
interface Starting {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How the servers differ. */
export interface HostFacts {
  /** Whether it sends `content-length`. */
  readonly sendsLength: boolean;
  /** Whether the server interrupts a truncated response of unknown length, or ends the response normally. */
  readonly truncates: boolean;
  /** Whether the server reads the rest of a rejected body. If not, the server can reset the connection. */
  readonly readsRest: boolean;
  /** How the caller must disconnect before the response so that the server notices. */
  readonly noticesDisconnectBy: "closing" | "resetting";
}

/** A server with the handler. */
export interface Host extends HostFacts {
  readonly title: string;
  start(starting: Starting): Promise<RunningProgram>;
}

/** The line that a host prints when it listens. */
const portLine = /^Listening on (\d+)$/m;

/** Modules that are loaded first, and print the port of a host. */
const printPortOfNode = `
import { Server } from "node:net";
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once("listening", () => console.log("Listening on " + this.address().port));
  return listen.apply(this, args);
};
`;
const printPortOfBun = `
const { serve } = Bun;
Bun.serve = (options) => {
  const server = serve(options);
  console.log("Listening on " + server.port);
  return server;
};
`;

/** Starts workerd with the miniflare of the given folder. */
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

/** Starts a file of the guide in Node. */
function onNode(file: string) {
  return ({ folder, env }: Starting): Promise<RunningProgram> => {
    write(folder, {
      "package.json": '{ "type": "module" }',
      "pdf.js": javaScriptOf(pdf),
      "app.module.js": `
        import { Module } from "@nestjs/common";
        export class AppModule {}
        Module({})(AppModule);`,
      "main.js": javaScriptOf(snippet(file)),
      "print-port.mjs": printPortOfNode,
    });
    const args = ["--import", "./print-port.mjs", "main.js"];
    return startProgram(process.execPath, args, { cwd: folder, env, ready: portLine });
  };
}

function onBun({ folder, env }: Starting): Promise<RunningProgram> {
  write(folder, { "pdf.ts": pdf, "main.ts": snippet("bun.ts"), "print-port.mjs": printPortOfBun });
  const args = ["--preload", "./print-port.mjs", "main.ts"];
  return startProgram(runtimeProgram("bun"), args, { cwd: folder, env, ready: portLine });
}

function onDeno({ folder, env }: Starting): Promise<RunningProgram> {
  write(folder, { "pdf.ts": pdf, "main.ts": snippet("deno.ts") });
  const args = ["run", "--allow-net", "--allow-env", "--node-modules-dir=manual", "main.ts"];
  return startProgram(runtimeProgram("deno"), args, {
    cwd: folder,
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    ready: /^Listening on http:\/\/[^:]+:(\d+)\//m,
  });
}

/** Starts workerd like wrangler, with a bundle, and with the variables as bindings. */
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
    return startProgram(nodeOf(22), args, { cwd: folder, ready: portLine });
  };
}

/** Starts a host in its own folder. */
export function startOn(
  host: Pick<Host, "title" | "start">,
  packages: string,
  env: Starting["env"],
): Promise<RunningProgram> {
  const folder = join(packages, "hosts", host.title.replaceAll(/\W+/g, "-"));
  return host.start({ folder, env });
}

export const usual: HostFacts = {
  sendsLength: true,
  truncates: true,
  readsRest: true,
  noticesDisconnectBy: "closing",
};

export const hosts: readonly Host[] = [
  { title: "node:http", ...usual, start: onNode("node-http.ts") },
  { title: "Express 5", ...usual, start: onNode("express.ts") },
  { title: "NestJS 12", ...usual, start: onNode("nest.ts") },
  { title: "Fastify 5", ...usual, start: onNode("fastify.ts") },
  { title: "Hono on Node", ...usual, start: onNode("hono.ts") },
  { title: "Bun", ...usual, sendsLength: false, start: onBun },
  { title: "Deno", ...usual, start: onDeno },
  {
    title: "workerd",
    ...usual,
    noticesDisconnectBy: "resetting",
    truncates: false,
    readsRest: false,
    start: onWorkers(["nodejs_compat"]),
  },
];
