export { nodeOutputs } from "../document/no-node-outputs.ts";
export { transports } from "../transport/web.ts";
