import { beforeEach, describe, expect, it, vi } from "vitest";
import { rejectWithCaller, resolveWithCaller } from "../../src/errors/caller-stack.ts";
import { ConfigurationError } from "../../src/errors/errors.ts";
import { parseBaseUrl } from "../../src/request/endpoint.ts";

let { addCaller } = await import("../../src/errors/caller-stack.ts");
let copies = 0;
// The module stores the folder of the package, so each test loads a copy.
beforeEach(async () => {
  ({ addCaller } = await import(/* @vite-ignore */ `../../src/errors/caller-stack.ts?copy=${copies++}`));
});

/** Returns an error whose stack begins in the package. */
function errorOfPackage(frames = /^/): Error & { stack: string } {
  try {
    parseBaseUrl("https://", undefined);
  } catch (error) {
    const [, ...lines] = ((error as Error).stack ?? "").split("\n");
    const stack = [String(error), ...lines.filter((line) => frames.test(line))].join("\n");
    return Object.assign(error as Error, { stack });
  }
  throw new Error("Nothing was thrown.");
}

describe("An error's stack", () => {
  const ofPackage = () => errorOfPackage(/parseBaseUrl/);
  const [message, frame = ""] = ofPackage().stack.split("\n");
  const awaiting = frame.replace("at ", "at async ");
  const anonymous = frame.replace(/at .*\((.*)\)/, "at $1");
  const caller = "    at file:///srv/app.js:10:20";

  it.each([
    ["only the caller's frames", [frame, anonymous, caller, "    at node:internal/timers:10:20"], [caller]],
    ["every captured frame if bundled code awaits the call", [frame, awaiting], [frame, awaiting]],
    ["only the original frames if no bundled code awaits the call", [frame, anonymous], [frame]],
    ["the original frames if the caller's frame has no position", [frame, `${caller}, <anonymous>`], [frame]],
  ])("contains %s", (_, frames, expected) => {
    const stack = ["Error: look at this:1:1", ...frames].join("\n");
    const capture = vi.spyOn(Error, "captureStackTrace");
    capture.mockImplementation((target) => void Object.assign(target, { stack }));
    const error = addCaller(ofPackage());
    capture.mockRestore();
    expect(error.stack.split("\n")).toEqual([message, ...expected]);
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
    ["comes from another package", () => Object.assign(new Error("m"), { stack: errorOfPackage().stack })],
    ["was created by the caller", () => new ConfigurationError("m")],
    ["has no stack frames", () => errorOfPackage(/never/)],
    ["is frozen", () => Object.freeze(errorOfPackage())],
  ])("is unchanged if the error %s", (_, make) => {
    const error = make();
    const { stack } = error;
    expect(addCaller(error)).toBe(error);
    expect(error.stack).toBe(stack);
  });
});
