/** The server for the Model Context Protocol. Requires the `@modelcontextprotocol/sdk` package. */

export { Documents } from "./documents.ts";
export { EmulatedTemplates } from "./emulated-templates.ts";
export { serveHttp, serveStdio } from "./serve.ts";
export { createServer, type ServerParts } from "./server.ts";
