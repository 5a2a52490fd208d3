export { framed, head, type RawRequest, serveRaw } from "../support/sockets.ts";
