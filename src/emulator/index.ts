/**
 * The service on your own machine: `startEmulator` serves the spec's endpoint and renders real PDFs from template files.
 *
 * @module
 */
export type { EmulatorOptions } from "./options.ts";
export { type Emulator, startEmulator } from "./start.ts";
export type { TemplateFunction } from "./templates.ts";
