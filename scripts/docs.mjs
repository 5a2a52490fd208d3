// @ts-check
// `npm run docs` builds the site in `site/`. `npm run docs -- <command>`:
//   serve       builds the site and serves it until Ctrl-C (`--port 8080`; default: a free port)
//   tables, messages, faults, comparison, bundlers, pictures   regenerates these parts of the documentation
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Hono } from "hono";
import { root, run } from "./run-command.mjs";

/** The test that checks each generated part, and its project. */
const generated = {
  tables: ["source", "test/docs/generated.test.ts"],
  messages: ["source", "test/docs/messages.test.ts"],
  faults: ["source*", "test/faults/page.test.ts"],
  comparison: ["runtimes", "test/runtimes/comparison.test.ts"],
  bundlers: ["runtimes", "test/runtimes/bundlers.test.ts"],
  pictures: ["runtimes", "test/runtimes/playground.test.ts"],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: "string", default: "0" } },
});
const [command = "site"] = positionals;

if (command in generated) {
  // Pictures are not compared, so this variable makes their test write them.
  if (command === "pictures") process.env["TEMPLATE_PDF_PICTURES"] = "1";
  const [project = "", test = ""] = generated[/** @type {keyof typeof generated} */ (command)];
  exitUnless(await run("vitest", ["run", "--project", project, test, "--update"]));
} else if (command === "site" || command === "serve") {
  exitUnless(
    await run("typedoc", ["--options", "docs/site/typedoc.config.mjs"], { quiet: command === "serve" }),
  );
  if (command === "serve") serveSite(Number(values.port));
} else {
  console.error(`Expected serve, ${Object.keys(generated).join(", ")}, got "${command}".`);
  process.exit(2);
}

/** @param {boolean} succeeded */
function exitUnless(succeeded) {
  if (!succeeded) process.exit(1);
}

/** @param {number} port */
function serveSite(port) {
  const app = new Hono().use(serveStatic({ root: join(root, "site") }));
  serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (address) => {
    console.log(`Serving the documentation at http://127.0.0.1:${address.port}/ (stop with Ctrl-C)`);
  });
}
