import { answers } from "./answers.mjs";
import { backpressure } from "./backpressure.mjs";
import { cancellation } from "./cancellation.mjs";
import { errors } from "./errors.mjs";
import { faults } from "./faults.mjs";
import { saving } from "./files.mjs";
import { forms } from "./forms.mjs";
import { retries } from "./retries.mjs";
import { templates } from "./templates.mjs";

/**
 * Everything that has to hold in every runtime, by what it says. A check throws where it does not hold; what it gives
 * back says what this runtime does not have, by its design, and what it does instead.
 */
export const checks = {
  ...forms,
  ...answers,
  ...errors,
  ...templates,
  ...retries,
  ...cancellation,
  ...backpressure,
  ...saving,
  ...faults,
};
