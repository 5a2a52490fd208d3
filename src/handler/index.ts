/**
 * The service's endpoint on your own server, which holds the key: for pages, which may not.
 *
 * @packageDocumentation
 */

export { createHandler } from "./create-handler.ts";
export type { Handler, HandlerError, HandlerOptions, HandlerTemplates } from "./options.ts";
