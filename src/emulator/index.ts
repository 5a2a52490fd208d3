/**
 * A local emulator of the service: `startEmulator` serves the same endpoint and renders real PDFs from template files.
 *
 * @packageDocumentation
 */

export type { EmulatorLimits, EmulatorOptions } from "./options.ts";
export type { TemplateFunction } from "./renderer/module-template.ts";
export type { TemplateFault } from "./renderer/template-fault.ts";
export type { Call } from "./reporting.ts";
export { type Emulator, startEmulator } from "./start.ts";
export { type FoundTemplate, TemplateError } from "./templates.ts";
