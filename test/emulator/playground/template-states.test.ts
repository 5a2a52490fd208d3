import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TemplateStates } from "../../../src/emulator/playground/template-states.ts";
import type { Outcome, Task } from "../../../src/emulator/renderer/protocol.ts";
import type { Renderers } from "../../../src/emulator/renderers.ts";
import { eventually } from "../../support/eventually.ts";
import { templateFolder } from "../emulated.ts";

type Terms = Parameters<Renderers["perform"]>[1];
const document: Outcome = {
  kind: "document",
  bytes: new TextEncoder().encode("/Type /Page\n"),
  warnings: [],
};
const timeout: Outcome = {
  kind: "broken",
  faults: [{ file: "a.json", part: "", message: "too slow" }],
  stack: "",
  isTimeout: true,
};

/** The states of a folder whose documents are not rendered. `tasks` lists what threads would have rendered, in order. */
async function statesOf(
  files: readonly string[],
  answer: (task: Task) => Outcome = () => document,
  maxThreads = 2,
) {
  const folder = await templateFolder(Object.fromEntries(files.map((file) => [file, "{}"])));
  const tasks: string[] = [];
  const perform = async (task: Task, { limitMs, onBegin }: NonNullable<Terms> = {}): Promise<Outcome> => {
    onBegin?.();
    if (task.values === undefined) return { kind: "inspected", sample: { n: 1 }, schema: undefined };
    tasks.push(`${task.template.uid} ${limitMs}`);
    return answer(task);
  };
  const states = new TemplateStates(folder, { perform, maxThreads } as unknown as Renderers);
  const settled = () =>
    eventually(() => states.all.every(({ kind }) => kind === "ready" || kind === "broken"));
  return { folder, tasks, states, settled };
}

describe("the states of templates", () => {
  it("shows 200 templates as waiting, and then all as ready, the selected one first", async () => {
    const files = Array.from({ length: 200 }, (_, index) => `t${index}.json`);
    const { states, tasks, settled } = await statesOf(files);
    states.select("t77");
    await states.refresh(undefined);
    expect(new Set(states.all.map(({ kind }) => kind))).toEqual(new Set(["waiting", "rendering"]));
    await settled();
    expect(tasks[0]).toMatch(/^t77 /);
    expect(tasks).toHaveLength(200);
    expect(states.all.every(({ kind, pages }) => kind === "ready" && pages === 1)).toBe(true);
  });

  it("renders slow templates again after all others, and accuses only those that never end", async () => {
    const answer = ({ template: { uid } }: Task) => (uid.startsWith("endless") ? timeout : document);
    const { states, tasks, settled } = await statesOf(
      ["endless1.json", "endless2.mjs", "a.json", "z.json"],
      answer,
    );
    await states.refresh(undefined);
    await settled();
    const first = ["a 2000", "endless1 2000", "endless2 2000", "z 2000"];
    expect(tasks).toEqual([...first, "endless1 20000", "endless2 20000"]);
    expect(states.all.map(({ uid, kind }) => `${uid} ${kind}`)).toEqual([
      ...["a ready", "endless1 broken", "endless2 broken", "z ready"],
    ]);
  });

  it("leaves a thread to calls, if there are several", async () => {
    for (const [maxThreads, expected] of [
      [1, 1],
      [2, 1],
      [4, 3],
    ] as const) {
      const never = new Promise<Outcome>(() => {});
      const { states, tasks } = await statesOf(
        ["a.json", "b.json", "c.json", "d.json", "e.json"],
        () => never as never,
        maxThreads,
      );
      await states.refresh(undefined);
      await eventually(() => tasks.length === expected);
      expect(states.all.filter(({ kind }) => kind === "waiting")).toHaveLength(5 - expected);
    }
  });

  it.each([
    ["the template of a JSON file and all modules", ["b.json"], ["b", "m"]],
    ["all templates after a file that is not a template", ["lib/logo.png"], ["a", "b", "m"]],
    ["no templates after a temporary file of an editor", [".b.json.swp", "b.json~", "4913"], []],
    ["all templates if the files are unknown", undefined, ["a", "b", "m"]],
  ])("checks %s", async (_, changed, expected) => {
    const { states, tasks, settled } = await statesOf(["a.json", "b.json", "m.mjs"]);
    await states.refresh(undefined);
    await settled();
    tasks.length = 0;
    await states.refresh(changed && new Set(changed));
    await settled();
    expect(tasks.map((task) => task.split(" ")[0]).sort()).toEqual(expected);
  });

  it("follows files that are added, renamed and removed, and says why the folder cannot be read", async () => {
    const { folder, states, settled } = await statesOf(["a.json", "b.json"]);
    await states.refresh(undefined);
    await settled();
    await rm(join(folder, "a.json"));
    await rename(join(folder, "b.json"), join(folder, "b.mjs"));
    await writeFile(join(folder, "c.json"), "{}");
    await states.refresh(new Set(["a.json", "b.json", "b.mjs", "c.json"]));
    await settled();
    expect(states.all.map(({ file, kind }) => `${file} ${kind}`)).toEqual(["b.mjs ready", "c.json ready"]);
    await rm(folder, { recursive: true });
    await states.refresh(undefined);
    expect({ all: states.all, fault: states.folderFault }).toEqual({
      all: [],
      fault: expect.stringContaining("does not exist"),
    });
  });
});
