export { files } from "../files/none.ts";
export { platform } from "../transport/web.ts";
