/**
 * The endpoint of the service on your own server, which holds the API key for browsers.
 *
 * @packageDocumentation
 */

export { createHandler } from "./create-handler.ts";
export type { Handler, HandlerError, HandlerOptions, HandlerTemplates } from "./options.ts";
