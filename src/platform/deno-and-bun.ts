export { nodeOutputs } from "./node.ts";
export { transports } from "./web.ts";
