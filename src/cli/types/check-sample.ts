import { isJsonObject } from "../../json/json-value.ts";
import { isDeeperThan, maxNesting } from "../../json/nesting.ts";
import { Misuse } from "../failure.ts";

/**
 * Takes a value for a sample.
 *
 * @param locate - tells where it stands, which may take a while
 * @param mayBeDeep - whether it might be nested too deep, as far as is known
 * @throws {Misuse} when it is no object, or nested too deep
 */
export function checkSample(
  value: unknown,
  locate: () => string,
  mayBeDeep: boolean,
): Record<string, unknown> {
  if (!isJsonObject(value)) {
    const found = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
    throw new Misuse(
      `${locate()}: this sample is ${found}. Make it an object, a member for each placeholder.`,
    );
  }
  if (mayBeDeep && isDeeperThan(value, maxNesting)) {
    throw new Misuse(`${locate()}: this sample is nested deeper than ${maxNesting} levels. Flatten it.`);
  }
  return value as Record<string, unknown>;
}
