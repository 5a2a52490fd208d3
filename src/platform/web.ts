export { files } from "../files/none.ts";
export { transports } from "../transport/web.ts";
