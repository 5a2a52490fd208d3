/**
 * The service on your own machine: `startEmulator` serves the spec's endpoint and renders real PDFs from template files.
 *
 * @packageDocumentation
 */

export type { Call, EmulatorLimits, EmulatorOptions } from "./options.ts";
export type { TemplateFunction } from "./renderer/module-template.ts";
export { type Emulator, type FoundTemplate, startEmulator } from "./start.ts";
export { TemplateError } from "./template-error.ts";
