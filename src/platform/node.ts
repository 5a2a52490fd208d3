export { files } from "../files/node.ts";
export { platform } from "../transport/node.ts";
