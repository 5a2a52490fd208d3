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
  for (const [name, check] of Object.entries(checks)) {
    try {
      const byDesign = await inTime(check(new Stage(settings)));
      results.push(byDesign === undefined ? { name } : { name, byDesign });
    } catch (error) {
      results.push({ name, failed: `${error}\n${error?.stack}` });
    }
  }
  return results;
}

async function inTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("It did not end.")), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
