export { nodeOutputs } from "../document/node-outputs.ts";
export { transports } from "../transport/node.ts";
