// Serves one bundle of the page and one bundle of the server: `node serve.mjs <folder of the page> <file of the server>`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "@hono/node-server";

const [pageFolder, serverFile] = process.argv.slice(2);
const bundled = await import(pathToFileURL(serverFile));
const { handler, transport } = bundled.handler ? bundled : bundled.default;

const types = { html: "text/html", js: "text/javascript", mjs: "text/javascript" };

async function answer(request) {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith("/api/pdf/")) return handler(request);
  if (pathname === "/transport") return new Response(transport());
  const path = pathname === "/" ? "index.html" : pathname.slice(1);
  try {
    const type = types[path.split(".").at(-1)] ?? "application/octet-stream";
    return new Response(readFileSync(join(pageFolder, path)), { headers: { "content-type": type } });
  } catch {
    return new Response(null, { status: 404 });
  }
}

serve({ fetch: answer, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(port));
