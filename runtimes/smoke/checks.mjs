import { connections } from "./connections.mjs";
import { documents } from "./documents.mjs";
import { errors } from "./errors.mjs";
import { faults } from "./faults.mjs";
import { saving } from "./files.mjs";

/**
 * All checks by title. A check throws if it fails. If the runtime differs by design, it returns a description of the difference.
 */
export const checks = { ...documents, ...errors, ...connections, ...saving, ...faults };
