import { connections } from "./connections.mjs";
import { documents } from "./documents.mjs";
import { errors } from "./errors.mjs";
import { faults } from "./faults.mjs";
import { saving } from "./files.mjs";

/**
 * Every check of every runtime, by its title. A check throws if it fails; it returns what this runtime does instead if it
 * lacks something by design.
 */
export const checks = { ...documents, ...errors, ...connections, ...saving, ...faults };
