export { files } from "./node.ts";
export { transports } from "./web.ts";
