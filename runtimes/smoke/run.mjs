import { connections } from "./connections.mjs";
import { documents } from "./documents.mjs";
import { errors } from "./errors.mjs";
import { faults } from "./faults.mjs";
import { Stage } from "./stage.mjs";

/**
 * All checks by title. A check throws if it fails. If the runtime differs by design, it returns a description of the difference.
 */
const checks = { ...documents, ...errors, ...connections, ...faults };

/** The time limit of a check, in milliseconds. */
const limitMs = 20_000;

const hanging = new Error("The check timed out.");

/**
 * Runs the checks one after the other.
 *
 * @param settings - see `Stage`
 * @returns the `name` of each check, with the reason as `failed`, or a difference of the runtime as `byDesign`
 */
export async function runSmoke(settings) {
  const results = [];
  // Browsers sometimes do not close the connection of an aborted fetch. Repeat a check that hangs.
  const attempts = settings.facts.isPage ? 3 : 1;
  for (const [name, check] of Object.entries(checks)) {
    try {
      const byDesign = await repeatIfHanging(attempts, () => check(new Stage(settings)));
      results.push(byDesign === undefined ? { name } : { name, byDesign });
    } catch (error) {
      results.push({ name, failed: `${error}\n${error?.stack}` });
    }
  }
  return results;
}

async function repeatIfHanging(attempts, check) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(hanging), limitMs);
  });
  try {
    return await Promise.race([check(), late]);
  } catch (error) {
    if (attempts > 1 && error === hanging) return repeatIfHanging(attempts - 1, check);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
