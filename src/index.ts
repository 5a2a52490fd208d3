/**
 * The client of the Template PDF Generation Service: a template uid and values in, a whole PDF out.
 *
 * @packageDocumentation
 */

export { TemplatePdf } from "./client.ts";
export type { GeneratedPdf } from "./document/generated-pdf.ts";
export type { Saved } from "./document/node-outputs.ts";
export type { PendingPdf } from "./document/pending-pdf.ts";
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  InvalidPdfError,
  NotFoundError,
  OversizedPdfError,
  PermissionError,
  RateLimitError,
  SaveError,
  ServerError,
  TemplatePdfError,
  TimeoutError,
  type TimeoutPhase,
  TruncatedPdfError,
  ValuesError,
  type ValuesIssue,
} from "./errors/errors.ts";
export type {
  CallEvent,
  FailureEvent,
  Hooks,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from "./options/hooks.ts";
export type { CallOptions, ClientOptions, Progress } from "./options/options.ts";
export type { Retry, Timeouts } from "./options/timeouts.ts";
export type { ApiKeySource } from "./request/api-key.ts";
export type { HeadersInput } from "./request/headers.ts";
export type { InferInput, InferOutput, StandardSchemaV1 } from "./request/standard-schema.ts";
export type { Bytes } from "./runtime/platform-types.ts";
export { type AnyTemplate, type Template, template, type Unchecked, type Values } from "./template.ts";
export type { FetchLike } from "./transport/fetch.ts";
export type { DispatcherLike } from "./transport/undici.ts";
