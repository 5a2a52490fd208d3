/**
 * An endpoint on your own server that forwards calls to the service, so that browsers never see the API key.
 *
 * @packageDocumentation
 */

export { contentDisposition } from "../service/content-disposition.ts";
export { createHandler } from "./create-handler.ts";
export type { Handler, HandlerError, HandlerOptions, HandlerTemplates } from "./options.ts";
