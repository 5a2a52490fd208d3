import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { hasPosixShell, hasProcessTable } from "../support/platform.ts";
import { pdfOf, withLength } from "../support/service.ts";
import { makePipe } from "../support/special-files.ts";
import { endingOf, runInShell, startCommand } from "./command.ts";
import { generateSetting } from "./run-in-process.ts";

/** Whether a process has a file open. */
function hasOpen(pid: number | undefined, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === path;
    } catch {
      return false;
    }
  });
}

const waiting = [
  ["the values", ["generate", "invoice", "--values", "x"]],
  ["the rows", ["bulk", "invoice", "x", "--out", "out/{{no}}.pdf"]],
  ["the schema", ["bulk", "invoice", "rows.ndjson", "--schema", "x", "--out", "out/{{no}}.pdf"]],
] as const;

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;

describe.runIf(hasProcessTable)("a command that waits for a pipe without a writer", () => {
  it.each(
    waiting.flatMap(([what, args]) => signals.map(([signal, code]) => [signal, what, args, code] as const)),
  )("ends after %s if the pipe supplies %s", async (signal, _what, args, code) => {
    const { cwd, env } = await generateSetting();
    writeFileSync(join(cwd, "rows.ndjson"), '{"no":"1"}\n');
    const path = makePipe(join(cwd, "x"));
    const child = startCommand(args, { cwd, env });
    await eventually(() => hasOpen(child.pid, path));
    child.kill(signal);
    expect(await endingOf(child)).toMatchObject({ code, stderr: "" });
  });
});

it.runIf(hasProcessTable)(
  "a command ends after SIGINT while it writes to a pipe that is not read",
  async () => {
    const { cwd, env, service } = await generateSetting(withLength(pdfOf(3_000_000)));
    const path = makePipe(join(cwd, "x.pdf"));
    const reader = await open(path, "r+");
    const child = startCommand(["generate", "invoice", "-o", "x.pdf"], { cwd, env });
    await service.request();
    await eventually(() => hasOpen(child.pid, path));
    child.kill("SIGINT");
    expect(await endingOf(child)).toMatchObject({ code: 130, stderr: "" });
    await reader.close();
  },
);

it.runIf(hasPosixShell)("values from an endless pipe are refused", async () => {
  const { cwd, env } = await generateSetting();
  const { code, stderr } = await runInShell(
    'cat /dev/zero | "$@"',
    ["generate", "invoice", "--values", "-"],
    { cwd, env },
  );
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("it is larger than 256 MiB") });
});

it.runIf(hasPosixShell)("values can come from a pipe of the shell under /dev/fd", async () => {
  const { cwd, env, service } = await generateSetting();
  const line = `{ echo '{"no":"1"}' | "$@" --values /dev/fd/3 3<&0; }`;
  const { code, stderr } = await runInShell(line, ["generate", "invoice"], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(service.requests[0]?.body).toBe('{"no":"1"}');
});
