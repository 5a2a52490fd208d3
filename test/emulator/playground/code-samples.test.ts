import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { codeSamples, isLong, valuesFileOf } from "../../../src/emulator/playground/page/code-samples.ts";
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

  it.each(Object.keys(codeSamples))("read the API key from the environment: %s", (language) => {
    const code = codeSamples[language]?.({ ...call, apiKey: "k-e-y", values: { a: 1 } }) ?? "";
    const setting = /^(?:export |\$env:)TEMPLATE_PDF_API_KEY ?= ?'?k-e-y'?\n/;
    expect(code.replace(setting, "")).not.toContain("k-e-y");
    expect(code).toContain("TEMPLATE_PDF_API_KEY");
  });

  it.each(["TypeScript", "fetch"])("do not use `await` outside functions: %s", (language) => {
    expect(sampleOf(language, { a: 1 })).not.toMatch(/^(?:const .*)?await /m);
  });

  it.each(["cURL", "PowerShell", "Command"])("read long values from a file, in shells: %s", (language) => {
    const file = valuesFileOf(call.uid);
    expect(file).toBe("it_s.values.json");
    expect(sampleOf(language, { text: "x".repeat(100) })).not.toContain(file);
    const code = sampleOf(language, { text: "x".repeat(10_000) });
    expect(code).toContain(file);
    expect(code.length).toBeLessThan(1_000);
  });

  it("quote texts for PowerShell, in which typographic marks also end strings", () => {
    const code = codeSamples["PowerShell"]?.({ ...call, uid: "it's ‘new’", values: { a: "it's\n'@" } }) ?? "";
    expect(code).toContain("OutFile = 'it_s__new_.pdf'");
    expect(code).toContain("it''s%20%E2%80%98new%E2%80%99/generate-sync'");
    const [, values = ""] = /\$values = @'\n([\s\S]*?)\n'@\n/.exec(code) ?? [];
    expect(JSON.parse(values)).toEqual({ a: "it's\n'@" });
  });

  if (!isWindows) {
    slowestProperty("contain exactly the values, in commands for a shell", () =>
      fc.property(anyHostileValues, (values) => {
        const printing = "curl() { printf '%s\\0' \"$@\"; }";
        fc.pre(!isLong(values));
        const sent = runInShell(printing, sampleOf("cURL", values)).split("\0");
        expect(textOf(JSON.parse(sent[sent.indexOf("-d") + 1] ?? ""))).toBe(textOf(values));
        const piped = runInShell("npx() { cat; }", sampleOf("Command", values));
        expect(textOf(JSON.parse(piped))).toBe(textOf(values));
      }),
    );
  }
});
