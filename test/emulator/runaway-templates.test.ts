import { describe, expect, it, vi } from "vitest";
import { eventually } from "../support/eventually.ts";
import { emulate, generate, textOf } from "./emulated.ts";

const fine = '{"content":"fine"}';

describe("a template that", () => {
  it.each([
    ["never ends", "for (;;);", "it took longer than the 2000 ms of limits.renderMs"],
    ["never answers", "return new Promise(() => {});", "it took longer than the 2000 ms"],
    ["ends its process", "process.exit(0);", "it ended the rendering thread, by process.exit() for instance"],
    [
      "throws behind its own back",
      'setTimeout(() => { throw new Error("late"); }); return new Promise(() => {});',
      "it ended the rendering thread: late",
    ],
  ])("%s is a 500 that is told with its file, and the next call is served", async (_case, body, reason) => {
    const onError = vi.fn();
    const files = { "bad.mjs": `export default () => { ${body} };`, "fine.json": fine };
    const emulator = await emulate(files, { onError, limits: { renderMs: 2_000 } });
    const answers = await Promise.all([generate(emulator, "bad"), generate(emulator, "bad")]);
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    for (const [error] of onError.mock.calls) {
      expect(error).toMatchObject({ name: "TemplateError", file: expect.stringContaining("bad.mjs") });
      expect(error.message).toMatch(/bad\.mjs(?::1:\d+)?: /);
      expect(error.message).toContain(reason);
    }
    expect(await textOf(emulator, "fine")).toContain("fine");
  });

  it("ends its process while it is loaded stops the start", async () => {
    await expect(emulate({ "bad.mjs": "process.exit(0);" })).rejects.toThrow(
      /bad\.mjs: it ended the rendering thread/,
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

describe("what a template leaves behind", () => {
  it("costs the next call nothing, though it ends the thread that nobody uses", async () => {
    const late =
      "export default () => { setTimeout(() => { throw null; }, 200); return { content: 'late' }; };";
    const emulator = await emulate({ "late.mjs": late, "fine.json": fine }, { limits: { threads: 1 } });
    for (let round = 0; round < 3; round++) {
      expect(await textOf(emulator, "late")).toContain("late");
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await textOf(emulator, "fine")).toContain("fine");
    }
  });

  it("is told with its own place, though another document is under way", async () => {
    const onError = vi.fn();
    const files = {
      // Both are in one thread, and share its globals.
      "late.mjs":
        "const late = () => { if (!globalThis.isSlowBegun) return;\nthrow new Error('late'); };\n" +
        "export default () => { setInterval(late, 20); return { content: 'a' }; };",
      "slow.mjs":
        "export default () => { globalThis.isSlowBegun = true; return new Promise((resolve) => setTimeout(resolve, 10_000, { content: 'b' })); };",
    };
    const emulator = await emulate(files, { onError, limits: { threads: 1 } });
    await textOf(emulator, "late");
    expect(await textOf(emulator, "slow")).toBe(500);
    expect(onError.mock.lastCall?.[0].message).toMatch(/late\.mjs:2:7: it ended the rendering thread: late$/);
  });

  it("is a thread that another caller soon gets, once nobody waits for it", async () => {
    const files = { "endless.mjs": "export default () => { for (;;); };", "fine.json": fine };
    const emulator = await emulate(files, { limits: { threads: 1 } });
    const left = generate(emulator, "endless", {}, { signal: AbortSignal.timeout(100) });
    await expect(left).rejects.toThrow();
    // The limit of a document is 60 seconds, which is longer than that of this test.
    expect(await textOf(emulator, "fine")).toContain("fine");
  });
});

describe("values", () => {
  it("that are nested too deep for a thread are a 422, and the next call is served", async () => {
    const emulator = await emulate({ "fine.json": fine }, { limits: { threads: 1, renderMs: 2_000 } });
    const deep = "[".repeat(20_000) + "]".repeat(20_000);
    for (let round = 0; round < 3; round++) {
      const answer = await generate(emulator, "fine", {}, { body: `{"a":${deep}}` });
      expect(answer.status).toBe(422);
      expect(await answer.text()).toContain("nested deeper than 500 levels");
    }
    expect(await textOf(emulator, "fine")).toContain("fine");
  });

  it.each([
    "/Canary-Alice:12:3",
    "x\n    at /Canary-Alice:7:7",
    "file://canary-host/A:1:2",
    "file:///%ZZ-canary:1:2",
  ])("that look like places are told as none: %s", async (name) => {
    const onError = vi.fn();
    const source = "\nexport default ({ name }) => { throw new Error('no such customer: ' + name); };";
    const emulator = await emulate({ "letter.mjs": source }, { onError, limits: { threads: 1 } });
    expect(await textOf(emulator, "letter", { name })).toBe(500);
    const [error] = onError.mock.lastCall ?? [];
    expect(error.message).toMatch(/letter\.mjs:2:38: no such customer: /);
    expect(error.stack).not.toMatch(/canary/i);
  });

  it("that are wrong in a great many ways, by names of any length, are a 422 that can be read", async () => {
    const zod = import.meta.resolve("zod");
    const source = `import * as z from ${JSON.stringify(zod)};
      export const schema = z.object({ lines: z.array(z.record(z.string(), z.string())) });
      export default () => ({ content: "a" });`;
    const emulator = await emulate({ "bill.mjs": source });
    const lines = Array.from({ length: 5_000 }, () => ({ ["n".repeat(90)]: 1 }));
    const answer = await generate(emulator, "bill", { lines });
    expect(answer.status).toBe(422);
    const { errors, detail } = await answer.json();
    expect(errors).toHaveLength(1_000);
    expect(errors[999].path).toBe(`lines[999].${"n".repeat(60)}…`.replace(/\.(n+…)$/, '["$1"]'));
    expect(detail.length).toBeLessThan(2_000);
  });
});

describe("close", () => {
  it("ends the rendering threads", async () => {
    const threads = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
    const before = threads();
    const emulator = await emulate({ "fine.json": fine });
    await Promise.all([1, 2, 3, 4].map(() => textOf(emulator, "fine")));
    expect(threads()).toBeGreaterThan(before);
    await emulator.close();
    await eventually(() => threads() === before);
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
