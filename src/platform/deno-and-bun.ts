export { files } from "./node.ts";
export { platform } from "./web.ts";
