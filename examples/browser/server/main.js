import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { nodeListener } from "template-pdf/handler/node";
import { makeDocuments } from "./documents.js";
import { servePages } from "./pages.js";
import { startService } from "./service.js";
import { beginSession } from "./session.js";

const { values: flags } = parseArgs({
  options: {
    port: { type: "string", default: process.env.PORT ?? "5173" },
    built: { type: "boolean", default: false },
    latency: { type: "string" },
    fault: { type: "string", multiple: true },
  },
});

const service = await startService(flags);
const documents = nodeListener(makeDocuments(service));
const server = createServer();
const pages = await servePages(server, flags);

server.on("request", (request, response) => {
  if (request.url?.startsWith("/api/pdf/")) return documents(request, response);
  beginSession(request, response);
  return pages(request, response);
});

server.listen(Number(flags.port), "127.0.0.1", () => {
  console.log(`Page:    http://127.0.0.1:${server.address().port}/`);
  console.log(`Service: ${service.baseUrl}`);
});
