// @ts-check
// Serves the documentation site on this machine until Ctrl-C. It is built first where a paper or a source is newer than it is.
// `--port 8080`; by default any port that is free.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { root, run } from "./run-command.mjs";

const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`Expected --port to be a number from 0 to 65535, got ${values.port}.`);
  process.exit(1);
}

const site = join(root, "site");
if (isStale() && !(await run("npm", ["run", "--silent", "docs"]))) process.exit(1);

const app = new Hono().use(serveStatic({ root: site }));
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, ({ port }) => {
  console.log(`The documentation: http://127.0.0.1:${port}/ (Ctrl-C ends it)`);
});
server.on("error", ({ message }) => {
  console.error(`The documentation cannot be served on port ${port}: ${message}. Take another --port.`);
  process.exit(1);
});

function isStale() {
  const made = join(site, "index.html");
  if (!existsSync(made)) return true;
  const builtAt = statSync(made).mtimeMs;
  const papers = readdirSync(root).filter((name) => name.endsWith(".md"));
  return ["src", "docs", "scripts/entries.mjs", "tsconfig.json", "package.json", ...papers].some(
    (path) => newest(join(root, path)) > builtAt,
  );
}

/**
 * @param {string} path - of a file or a folder
 * @returns {number} when it, or whatever is in it, was last changed
 */
function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  // Its own time, too: a file that has gone changes nothing else.
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
