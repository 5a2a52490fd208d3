import { describe, expect, it } from "vitest";
import { addCaller, rejectWithCaller, resolveWithCaller } from "../../src/errors/caller-stack.ts";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { parseBaseUrl } from "../../src/request/base-url.ts";

/** Returns an error whose stack begins in the package. */
function errorOfPackage(frames = /^/): Error {
  try {
    parseBaseUrl("https://");
  } catch (error) {
    const [, ...lines] = ((error as Error).stack ?? "").split("\n");
    const stack = [String(error), ...lines.filter((line) => frames.test(line))].join("\n");
    return Object.assign(error as Error, { stack });
  }
  throw new Error("Nothing was thrown.");
}

const ofCaller =
  /^ConfigurationError: The base URL .*\n +at .*caller-stack\.test\.ts:\d+:\d+\)?(\n +at .*)*$/;

describe("The stack of an error", () => {
  it("begins with the caller's line, without the frames of the package and the runtime", () => {
    const error = errorOfPackage(/[/\\]src[/\\]/);
    expect(error.stack).not.toMatch(ofCaller);
    expect(addCaller(error)).toBe(error);
    expect(error.stack).toMatch(ofCaller);
    expect(error.stack).not.toMatch(/[/\\]src[/\\]errors|\bnode:/);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a rejected promise", () => new Promise((resolve) => void rejectWithCaller(resolve, errorOfPackage()))],
    [
      "a result that contains the error",
      () => {
        const error = errorOfPackage();
        return new Promise((resolve) => void resolveWithCaller(resolve, error, { error }));
      },
    ],
  ])("contains the line that awaits %s", async (_, settle) => {
    const awaiting = async () => await settle();
    const outcome = (await awaiting().catch((error: Error) => ({ error }))) as { error: Error };
    expect(outcome.error.stack).toMatch(/^ConfigurationError: .*\n +at (?:async )?awaiting /);
  });

  it.each<[string, () => Error]>([
    ["of another package", () => Object.assign(new Error("m"), { stack: errorOfPackage().stack })],
    ["whose stack begins with the caller", () => new ConfigurationError("m")],
    ["without frames", () => errorOfPackage(/never/)],
    ["that is frozen", () => Object.freeze(errorOfPackage())],
  ])("is unchanged for an error %s", (_, make) => {
    const error = make();
    const { stack } = error;
    expect(addCaller(error)).toBe(error);
    expect(error.stack).toBe(stack);
  });
});
