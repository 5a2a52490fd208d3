export { nodeOutputs } from "../document/node-outputs.ts";
export { readEnvFile } from "../files/env-file.ts";
export { transports } from "../transport/node.ts";
