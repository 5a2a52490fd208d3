import { fork } from "node:child_process";
import { once } from "node:events";
import { killAtEnd } from "../shared/at-end.mjs";
import { fourDigits, medianOf } from "../shared/figures.mjs";

/**
 * Runs plans in rounds, each in its own process. Every second round has the reverse order, so that a contender does not always
 * follow the same one.
 */
export async function measureInTurn(plans, rounds, { prepare = (plan) => plan, check, ...options } = {}) {
  const roundsOf = typeof rounds === "number" ? () => rounds : rounds;
  const readings = new Map(plans.map(({ contender }) => [contender, []]));
  for (let round = 0; round < Math.max(...plans.map(({ contender }) => roundsOf(contender))); round++) {
    const remaining = plans.filter(({ contender }) => round < roundsOf(contender));
    for (const planned of round % 2 === 0 ? remaining : remaining.reverse()) {
      const plan = prepare(planned);
      readings.get(plan.contender).push(await measure(plan, options));
      await check?.(plan);
    }
  }
  return readings;
}

/** Runs one plan. */
export async function measure(plan, { authorityFile, execArgv = [] } = {}) {
  const program = new URL("./process.mjs", import.meta.url);
  const options = { env: environmentWith(authorityFile), execArgv };
  const child = fork(program, [JSON.stringify(plan)], options);
  const exited = once(killAtEnd(child), "exit");
  const [reading] = await Promise.race([once(child, "message"), exited]);
  if (typeof reading !== "object" || !reading) throw new Error(`${plan.contender} reported no figures.`);
  await exited;
  return reading;
}

/** Returns the medians of some figures over all rounds. */
export function mediansOf(readings, keys) {
  const medians = keys.map((key) => [key, fourDigits(medianOf(readings.map((reading) => reading[key])))]);
  return Object.fromEntries(medians);
}

/** The environment without variables that configure proxies, Node or this package. */
function environmentWith(authorityFile) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/_proxy$/i.test(name) && !name.startsWith("NODE_") && !name.startsWith("TEMPLATE_PDF_"),
  );
  return { ...Object.fromEntries(inherited), ...(authorityFile && { NODE_EXTRA_CA_CERTS: authorityFile }) };
}
