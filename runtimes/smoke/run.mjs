import { checks } from "./checks.mjs";
import { Stage } from "./stage.mjs";

/** A check that hangs must not hide all others; in milliseconds. */
const limitMs = 20_000;

/**
 * Makes every check, one after the other.
 *
 * @param settings - see `Stage`
 * @returns of each check its `name`, and `failed` with the reason, or `byDesign` where something does not exist here
 */
export async function runSmoke(settings) {
  const results = [];
  // Browsers forget now and then to close a connection that was given up, also one of a bare fetch: seldom, so not twice.
  const tries = settings.facts.isPage ? 3 : 1;
  for (const [name, check] of Object.entries(checks)) {
    try {
      const byDesign = await whenHanging(tries, () => inTime(check(new Stage(settings))));
      results.push(byDesign === undefined ? { name } : { name, byDesign });
    } catch (error) {
      results.push({ name, failed: `${error}\n${error?.stack}` });
    }
  }
  return results;
}

/** Makes a check that hangs again. */
async function whenHanging(tries, check) {
  try {
    return await check();
  } catch (error) {
    if (tries > 1 && error === hanging) return whenHanging(tries - 1, check);
    throw error;
  }
}

const hanging = new Error("It did not end.");

async function inTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(hanging), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
