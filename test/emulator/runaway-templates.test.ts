import { describe, expect, it, vi } from "vitest";
import { emulate, generate, textOf } from "./emulated.ts";

const fine = '{"content":"fine"}';

describe("a template that", () => {
  it.each([
    ["never ends", "for (;;);", "it took longer than the 300 ms that a document may take (limits.renderMs)"],
    ["never answers", "return new Promise(() => {});", "it took longer than the 300 ms"],
    ["ends its process", "process.exit(0);", "the template ended its thread, by process.exit() for instance"],
    [
      "throws behind its own back",
      'setTimeout(() => { throw new Error("late"); }); return new Promise(() => {});',
      "the template ended its thread: late",
    ],
  ])("%s is a 500 that is told with its file, and the next call is served", async (_case, body, reason) => {
    const onError = vi.fn();
    const files = { "bad.mjs": `export default () => { ${body} };`, "fine.json": fine };
    const emulator = await emulate(files, { onError, limits: { renderMs: 300 } });
    const answers = await Promise.all([generate(emulator, "bad"), generate(emulator, "bad")]);
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    for (const [error] of onError.mock.calls) {
      expect(error).toMatchObject({ name: "TemplateError", file: expect.stringContaining("bad.mjs") });
      expect(error.message).toMatch(/bad\.mjs: /);
      expect(error.message).toContain(reason);
    }
    expect(await textOf(emulator, "fine")).toContain("fine");
  });

  it("ends its process while it is loaded stops the start", async () => {
    await expect(emulate({ "bad.mjs": "process.exit(0);" })).rejects.toThrow(
      /bad\.mjs: the template ended its thread/,
    );
  });

  it("fills all memory takes down its thread, not the process", async () => {
    const onError = vi.fn();
    const files = {
      "bad.mjs":
        "export default () => { const all = []; for (;;) all.push(new Array(1_000_000).fill(1.5)); };",
      "fine.json": fine,
    };
    const emulator = await emulate(files, { onError });
    expect((await generate(emulator, "bad")).status).toBe(500);
    expect(String(onError.mock.calls[0]?.[0])).toContain("memory");
    expect(await textOf(emulator, "fine")).toContain("fine");
  }, 60_000);
});

describe("close", () => {
  it("ends the rendering threads", async () => {
    const threads = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
    const before = threads();
    const emulator = await emulate({ "fine.json": fine });
    await Promise.all([1, 2, 3, 4].map(() => textOf(emulator, "fine")));
    expect(threads()).toBeGreaterThan(before);
    await emulator.close();
    await vi.waitFor(() => expect(threads()).toBe(before));
  });

  it("lets a document under way be rendered", async () => {
    const slow = `export default async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { content: "slow" };
    };`;
    const emulator = await emulate({ "slow.mjs": slow });
    const text = textOf(emulator, "slow");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await emulator.close();
    expect(await text).toContain("slow");
  });
});
