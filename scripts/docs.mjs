// @ts-check
// `npm run docs` builds the site in `site/`. `npm run docs -- <command>`:
//   serve       builds the site and serves it until Ctrl-C (`--port 8080`; default: a free port)
//   links       requests every external link in the documentation, and prints dead ones
//   tables, messages, faults, comparison, bundlers, pictures   regenerates these parts of the documentation
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
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
} else if (command === "links") {
  exitUnless((await countDeadLinks()) === 0);
} else if (command === "site" || command === "serve") {
  exitUnless(
    await run("typedoc", ["--options", "docs/site/typedoc.config.mjs"], { quiet: command === "serve" }),
  );
  if (command === "serve") serveSite(Number(values.port));
} else {
  console.error(`Expected serve, links, ${Object.keys(generated).join(", ")}, got "${command}".`);
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

async function countDeadLinks() {
  const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  const addresses = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8").replace(/^ *```[\s\S]*?^ *```|`[^`\n]*`/gm, "");
    return [...text.matchAll(/https?:\/\/[^\s<>()"'\]]+[^\s<>()"'\].,:;!?]/g)]
      .map(([address]) => new URL(address.replace(/#.*/, "")))
      .filter(
        ({ hostname }) => !/(?:^|\.)(?:example\.(?:com|org|net)|localhost|invalid)$|^127\./.test(hostname),
      )
      .map(({ href }) => ({ href, page }));
  });
  const waiting = [...new Set(addresses.map(({ href }) => href))];
  let dead = 0;
  const work = async () => {
    for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
      // Many servers do not support HEAD.
      const failure = (await request(address, "HEAD")) && (await request(address, "GET"));
      if (failure === undefined) continue;
      dead++;
      const named = addresses.filter(({ href }) => href === address).map(({ page }) => page);
      console.log(`${address}: ${failure} (${[...new Set(named)].join(", ")})`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return dead;
}

/** @param {string} address @param {"HEAD" | "GET"} method @returns {Promise<string | undefined>} why it failed */
async function request(address, method) {
  try {
    const response = await fetch(address, { method, signal: AbortSignal.timeout(20_000) });
    await response.body?.cancel();
    // A page that returns 401, 403 or 429 to a program exists.
    return response.ok || [401, 403, 429].includes(response.status) ? undefined : `${response.status}`;
  } catch (error) {
    return String(error instanceof Error ? (error.cause ?? error) : error);
  }
}
