// @ts-check
import { fork } from "node:child_process";
import { once } from "node:events";
import { killAtEnd } from "../shared/at-end.mjs";
import { readingFrom } from "../shared/reading-from.mjs";
import { medianOf } from "../shared/statistics.mjs";

/**
 * Has every plan carried out in a process of its own, one after another, in rounds; every other round the other way,
 * so that nobody always comes after the same one.
 *
 * @template Reading
 * @param {string} program - in this folder
 * @param {ReadonlyMap<string, object>} plans - by what each is called
 * @param {number} rounds
 * @returns {Promise<Map<string, Reading[]>>} one reading of each round
 */
export async function measureInTurn(program, plans, rounds) {
  const names = [...plans.keys()];
  /** @type {Map<string, Reading[]>} */
  const readings = new Map(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      readings.get(name)?.push(await readingOf(program, plans.get(name), name));
    }
  }
  return readings;
}

/**
 * @param {string} program - in this folder
 * @param {unknown} plan - what it is given
 * @param {string} name - what to call it when it fails
 */
export async function readingOf(program, plan, name) {
  const child = killAtEnd(fork(new URL(program, import.meta.url), [JSON.stringify(plan)], { execArgv: [] }));
  const exited = once(child, "exit");
  const reading = await readingFrom(child, name);
  await exited;
  return reading;
}

/**
 * The medians of what the rounds told: four digits of each.
 *
 * @template {{ cpuMicroseconds: number, perSecond: number }} Reading
 * @param {readonly Reading[]} readings
 */
export function medianReadingOf(readings) {
  const median = (/** @type {"cpuMicroseconds" | "perSecond"} */ key) =>
    Number(medianOf(readings.map((reading) => reading[key])).toPrecision(4));
  return { cpuMicroseconds: median("cpuMicroseconds"), perSecond: median("perSecond") };
}
