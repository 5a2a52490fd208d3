import { isJsonObject } from "../../input/is-json-object.ts";
import { Misuse } from "../failure.ts";

/** How deep a sample may be nested: far deeper than a document needs, and far less than the stack holds. */
export const maxSampleDepth = 500;

/**
 * Takes a value for a sample.
 *
 * @param placeOf - tells where it stands, which may take a while
 * @param mayBeDeep - whether it might be nested too deep, as far as is known
 * @throws {Misuse} when it is no object, or nested too deep
 */
export function checkSample(
  value: unknown,
  placeOf: () => string,
  mayBeDeep: boolean,
): Record<string, unknown> {
  if (!isJsonObject(value)) {
    const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
    throw new Misuse(
      `${placeOf()}: this sample is ${found}. Make it an object, a member for each placeholder.`,
    );
  }
  if (mayBeDeep && isDeeperThan(value, maxSampleDepth)) {
    throw new Misuse(`${placeOf()}: this sample is nested deeper than ${maxSampleDepth} levels. Flatten it.`);
  }
  return value as Record<string, unknown>;
}

/** Whether something is nested deeper than that; it goes no deeper itself. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
