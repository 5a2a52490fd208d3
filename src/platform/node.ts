export { files } from "../files/node.ts";
export { transports } from "../transport/node.ts";
