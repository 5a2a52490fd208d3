export { nodeOutputs } from "./node.ts";
export { readEnvFile, transports } from "./web.ts";
