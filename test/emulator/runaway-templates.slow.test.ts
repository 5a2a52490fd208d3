import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Renderers } from "../../src/emulator/renderers.ts";
import { eventually } from "../support/eventually.ts";
import { emulate, generate, shareEmulator, templateFolder, textOf } from "./emulated.ts";

const fine = '{"content":"fine"}';
const throwLate = 'setTimeout(() => { throw new Error("late"); }); return new Promise(() => {});';

/** By uid: what a template does, and the reason that onError receives. */
const runaways = {
  "ends-its-process": ["process.exit(0);", "it ended the rendering thread, for example with process.exit()"],
  "throws-in-a-timer": [throwLate, "it ended the rendering thread: late"],
} as const;

const shared = shareEmulator({
  "fine.json": fine,
  ...Object.fromEntries(
    Object.entries(runaways).map(([uid, [body]]) => [`${uid}.mjs`, `export default () => { ${body} };`]),
  ),
  // Both templates run in one thread and share its globals.
  "late.mjs":
    "const late = () => { if (!globalThis.isSlowBegun) return;\nthrow new Error('late'); };\n" +
    "export default () => { setInterval(late, 20); return { content: 'a' }; };",
  "slow.mjs": "export default () => { globalThis.isSlowBegun = true; return new Promise(() => {}); };",
  "endless.mjs": "export default () => { for (;;); };",
  "letter.mjs": "\nexport default ({ name }) => { throw new Error('no such customer: ' + name); };",
  "bill.mjs": `import * as z from ${JSON.stringify(import.meta.resolve("zod"))};
      export const schema = z.object({ lines: z.array(z.record(z.string(), z.string())) });
      export default () => ({ content: "a" });`,
});

describe("a runaway template", () => {
  it.each(Object.entries(runaways))("causes an error that names its file: `%s`", async (uid, [, reason]) => {
    expect((await generate(shared, uid)).status).toBe(500);
    const error = shared.errors.at(-1);
    expect(error).toMatchObject({ name: "TemplateError", file: expect.stringContaining(`${uid}.mjs`) });
    expect(error?.message).toMatch(new RegExp(`${uid}\\.mjs(?::1:\\d+)?: `));
    expect(error?.message).toContain(reason);
    expect(await textOf(shared, "fine")).toContain("fine");
  });

  it.each([
    [
      "never ends",
      { body: "for (;;);", limitMs: 500, problem: /it took longer than 500 ms \(limits\.renderMs\)/ },
    ],
    [
      "runs out of memory",
      {
        body: "for (const all = []; ; ) all.push(Array(100_000).fill(1.5));",
        limitMs: 60_000,
        problem: /memory/,
      },
    ],
  ])("is stopped if it %s, and does not affect the next template", async (_, { body, limitMs, problem }) => {
    const bad = `export default () => { ${body} };`;
    const templates = await templateFolder({ "bad.mjs": bad, "fine.json": fine });
    const renderers = new Renderers({ templates, images: undefined, fonts: undefined }, 1, limitMs, 64);
    const render = (file: string) =>
      renderers.perform({ template: { uid: file, file, path: join(templates, file) }, values: {} });
    const faults = [{ message: expect.stringMatching(problem) }];
    expect(await render("bad.mjs")).toMatchObject({ kind: "broken", faults });
    // On a busy machine, even this document may exceed the limit.
    await eventually(async () => (await render("fine.json")).kind === "document");
    await renderers.close();
  });

  it("causes an error that names its own file even if a different template is being rendered", async () => {
    await textOf(shared, "late");
    expect(await textOf(shared, "slow")).toBe(500);
    expect(shared.errors.at(-1)?.message).toMatch(/late\.mjs:2:7: it ended the rendering thread: late$/);
    expect(await textOf(shared, "fine")).toContain("fine");
  });

  it("frees its thread soon after the caller disconnects", async () => {
    const aborted = generate(shared, "endless", {}, { signal: AbortSignal.timeout(100) });
    await expect(aborted).rejects.toMatchObject({ name: "TimeoutError" });
    // A document may take 60 seconds, which is longer than the timeout of this test.
    expect(await textOf(shared, "fine")).toContain("fine");
  });
});

describe("values in a request", () => {
  it("are rejected with a 422 if they are nested too deeply", async () => {
    const deep = "[".repeat(20_000) + "]".repeat(20_000);
    const response = await generate(shared, "fine", {}, { body: `{"a":${deep}}` });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain("nested deeper than 500 levels");
    expect(await textOf(shared, "fine")).toContain("fine");
  });

  it("do not appear in an error's stack even if they look like source locations", async () => {
    for (const name of ["x\n    at /Canary-Alice:7:7", "file:///%ZZ-canary:1:2"]) {
      expect(await textOf(shared, "letter", { name })).toBe(500);
      const error = shared.errors.at(-1);
      expect(error?.message).toMatch(/letter\.mjs:2:38: no such customer: /);
      expect(error?.stack).not.toMatch(/canary/i);
    }
  });

  it("cause a 422 response with at most 1,000 issues", async () => {
    const lines = Array.from({ length: 5_000 }, () => ({ ["n".repeat(90)]: 1 }));
    const response = await generate(shared, "bill", { lines });
    expect(response.status).toBe(422);
    const { errors, detail } = await response.json();
    expect(errors).toHaveLength(1_000);
    expect(errors[999].path).toBe(`lines[999]["${"n".repeat(60)}…"]`);
    expect(detail).toContain("lines");
    expect(detail.length).toBeLessThan(2_000);
  });
});

it("close() waits for a document that is being rendered, and then ends the rendering threads", async () => {
  const threads = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
  const before = threads();
  const slow = `export default ({ begun }) => {
    writeFileSync(begun, "");
    return new Promise((resolve) => setTimeout(resolve, 300, { content: "slow" }));
  };`;
  const emulator = await emulate({ "slow.mjs": `import { writeFileSync } from "node:fs";\n${slow}` });
  const begun = join(await templateFolder({}), "begun");
  const text = textOf(emulator, "slow", { begun });
  await eventually(() => existsSync(begun));
  await emulator.close();
  expect(await text).toContain("slow");
  await eventually(() => threads() <= before);
});
