import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { codeSamples } from "../../../src/emulator/playground/page/code-samples.ts";
import { property, slowestProperty } from "../../support/fuzz.ts";
import { isWindows } from "../../support/platform.ts";
import { anyHostileValues } from "../../template-types/support/hostile-values.ts";

const call = { baseUrl: "http://127.0.0.1:4010", apiKey: "key", uid: "it's" };

function sampleOf(language: string, values: object): string {
  return codeSamples[language]?.({ ...call, values }) ?? expect.fail(`no sample for ${language}`);
}

/** Runs the statements of a sample after its import. */
async function run(code: string, globals: Readonly<Record<string, unknown>>): Promise<void> {
  const statements = code.replace(/^import .*\n/, "");
  await new Function(...Object.keys(globals), `return (async () => {${statements}})()`)(
    ...Object.values(globals),
  );
}

/** Returns the values that the TypeScript sample passes to the client. */
async function valuesInTypeScript(values: object): Promise<unknown> {
  const generate = vi.fn((_uid: string, _values: object) => ({ saveTo: async () => {} }));
  await run(sampleOf("TypeScript", values), {
    TemplatePdf: class {
      generate = generate;
    },
  });
  return generate.mock.calls[0]?.[1];
}

/** Returns the body that the sample with fetch sends. */
async function bodyOfFetch(values: object): Promise<unknown> {
  const fetch = vi.fn(async (_url: string, _init: { readonly body: string }) => new Response("x"));
  await run(sampleOf("fetch", values), { fetch, writeFile: async () => {} });
  return JSON.parse(fetch.mock.calls[0]?.[1].body ?? "");
}

/** Runs a sample in a shell whose programs are these functions. Returns the output. */
function runInShell(functions: string, code: string): string {
  return execFileSync("sh", {
    input: `${functions}
${code}`,
    encoding: "utf8",
  });
}

/** The text of values, with which own properties named `__proto__` can be compared. */
const textOf = (values: unknown) => JSON.stringify(values);

describe("the code samples of the playground", () => {
  property("contain exactly the values, in TypeScript and with fetch", () =>
    fc.asyncProperty(anyHostileValues, async (values) => {
      expect(textOf(await valuesInTypeScript(values))).toBe(textOf(values));
      expect(textOf(await bodyOfFetch(values))).toBe(textOf(values));
    }),
  );

  it("contain `__proto__` as a property, at every depth and in texts that look like it", async () => {
    const values = JSON.parse(
      '{"__proto__":{"__proto__":[{"__proto__":null}]},"a":["__proto__","\\"__proto__\\": 1","\\n  \\"__proto__\\": 1"]}',
    );
    expect(textOf(await valuesInTypeScript(values))).toBe(textOf(values));
    expect(sampleOf("cURL", values)).toContain('"__proto__": {');
  });

  if (!isWindows) {
    slowestProperty("contain exactly the values, in commands for a shell", () =>
      fc.property(anyHostileValues, (values) => {
        const printing = "curl() { printf '%s\\0' \"$@\"; }";
        const sent = runInShell(printing, sampleOf("cURL", values)).split("\0");
        expect(textOf(JSON.parse(sent[sent.indexOf("-d") + 1] ?? ""))).toBe(textOf(values));
        const piped = runInShell("npx() { cat; }", sampleOf("Command", values));
        expect(textOf(JSON.parse(piped))).toBe(textOf(values));
      }),
    );
  }
});
