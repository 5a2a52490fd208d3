import { expect, it } from "vitest";
import { listenToAbort } from "../../src/call/abort-signals.ts";

it("a listener that fails does not keep the other listeners of its signal from hearing the abort", () => {
  const controller = new AbortController();
  const heard: string[] = [];
  const listeners = ["first", "failing", "last"].map((name) => ({
    handleEvent() {
      if (name === "failing") throw new Error("not today");
      heard.push(name);
    },
  }));
  for (const listener of listeners) listenToAbort(controller.signal, listener);
  controller.abort();
  expect(heard).toEqual(["first", "last"]);
});
