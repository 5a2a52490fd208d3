// Serves a bundle of the page and a bundle of the server: `node serve.mjs <folder of the page> <its script> <file of the server>`.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { nodeListener } from "template-pdf/handler/node";

const [folder, script, serverFile] = process.argv.slice(2);
const bundled = await import(pathToFileURL(serverFile));
const { handler, transport } = bundled.handler ? bundled : bundled.default;
const html = `<!doctype html><title>Invoices</title><link rel="icon" href="data:,">
<button type="button">Invoice</button><script type="module" src="/${script}"></script>`;

const server = createServer(
  nodeListener(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/pdf/")) return handler(request);
    if (pathname === "/transport") return new Response(transport());
    if (pathname === "/") return new Response(html, { headers: { "content-type": "text/html" } });
    const code = readFileSync(join(folder, pathname));
    return new Response(code, { headers: { "content-type": "text/javascript" } });
  }),
);
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
