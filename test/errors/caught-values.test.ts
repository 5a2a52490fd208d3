import { describe, expect, it } from "vitest";
import { readsOfCaughtValues, sourceFiles } from "./caught-values.ts";

const ofOurs = "its type was checked: errors of this package have no getters that throw";
const guarded = "every caller has a `try` that ignores errors";
const byNode = "only Node throws there";
const byParser = "only a parser of JavaScript or of this package throws there, and the text is all it gets";

/**
 * The places that read a caught value without the guarded reader, and why they are safe. Whatever a caller's function, a schema,
 * a `fetch`, a sink or a library throws may have getters that throw, or be a proxy.
 */
const allowed: readonly (readonly [file: string, reads: readonly string[], why: string])[] = [
  ["bulk/failure-groups.ts", ["{ path, draft = path } = error"], ofOurs],
  ["bulk/folder/open-folder.ts", ["(error as NodeJS.ErrnoException).code"], byNode],
  ["bulk/folder/writable-folder.ts", ["error.code", "(error as NodeJS.ErrnoException).code"], byNode],
  ["bulk/job-attempts.ts", ["error.status", "error.phase"], ofOurs],
  ["bulk/journal/journal.ts", ["error.message"], ofOurs],
  ["bulk/journal/lock-holder.ts", ["{ code } = error as NodeJS.ErrnoException"], byNode],
  ["bulk/journal/journal-file.ts", ["error.code"], byNode],
  [
    "bulk/journal/lock.ts",
    [
      "error.code",
      "(error as NodeJS.ErrnoException).code",
      "error instanceof PathRefusal",
      "{error.message}",
    ],
    byNode,
  ],
  ["bulk/run-bulk.ts", ["Object.assign(reason, { summary: this.#summaryOf(undefined) })"], ofOurs],
  ["bulk/systematic-failures.ts", ["error.detail", "detail.replace", "error.status"], ofOurs],
  ["cli/bulk/check-data.ts", ["error.issues.map", "(error as Error).message.replace"], ofOurs],
  ["cli/bulk/data/check-rows.ts", ["error.issues"], byParser],
  ["cli/bulk/data/json-rows.ts", ["{ position, reason } = error as JsonSyntaxError"], byParser],
  [
    "cli/bulk/data/stored-bytes.ts",
    ["cause instanceof Failure", "(cause as NodeJS.ErrnoException).syscall"],
    byNode,
  ],
  ["cli/bulk/run-outcome.ts", ["error.message"], ofOurs],
  ["cli/bulk/run-rows.ts", ["error.summary", "summary?.changed", "summary?.missing"], ofOurs],
  ["cli/decode-utf8.ts", ["error instanceof SyntaxError", "{error.message}"], byParser],
  ["cli/emulate.ts", ["{ message }: Error"], ofOurs],
  ["cli/exit-codes.ts", ["error.exitCode", "error.attempts"], ofOurs],
  ["cli/generate.ts", ["error.phase"], ofOurs],
  ["cli/input-values.ts", ["cause instanceof FileTooLarge"], byNode],
  ["cli/open-file.ts", ["cause.code", "cause.message", "{why}"], byNode],
  ["cli/queue/work.ts", ["error.why"], ofOurs],
  ["cli/report.ts", ["error.message", "error.requestId", "{error.requestId}"], ofOurs],
  ["cli/service-settings.ts", ["(cause as NodeJS.ErrnoException).code"], byNode],
  [
    "cli/types/read-json.ts",
    [
      "(error as Error).message",
      "{ message } = error as Error",
      "{message}",
      "cause instanceof FileTooLarge",
    ],
    byParser,
  ],
  [
    "cli/types/read-lines.ts",
    ["{ position, reason } = error as JsonSyntaxError", "{position.column}", "{reason}"],
    byParser,
  ],
  ["cli/types/template-samples.ts", ["error.place", "{error.reason}", "{error.message}"], ofOurs],
  ["cli/types.ts", ["error.message"], ofOurs],
  ["emulator/playground/page/", [], "this is the page, whose errors come from its own code and the browser"],
  ["emulator/playground/playground.ts", ["problem.toResponse", "error.cause", "error.status"], ofOurs],
  ["emulator/renderer/file-access.ts", ["failure.about"], ofOurs],
  [
    "emulator/renderer/json/formats.ts",
    ["error instanceof RangeError", "String(error)"],
    "only Intl throws there",
  ],
  ["emulator/renderer/json/json-template.ts", ["...error.position", "error.reason"], byParser],
  [
    "emulator/renderer/json/schema/json-schema.ts",
    ["error instanceof URIError", "error instanceof RangeError"],
    "only @cfworker/json-schema throws there, and it gets parsed JSON",
  ],
  [
    "emulator/renderer/main.ts",
    ["error.about", "error.exportName", "error.faults", "error.message", "{error.message}"],
    ofOurs,
  ],
  ["emulator/templates.ts", ["cause.faults.map"], ofOurs],
  ["emulator/renderer/template-fault.ts", ["...error.faults"], ofOurs],
  ["mcp/serve.ts", ["problem.toResponse"], ofOurs],
  ["emulator/renderer/named-folders.ts", ["error instanceof TemplateMistake"], byNode],
  ["emulator/renderer/user-file.ts", ["error instanceof PathRefusal", "{error.message}"], byNode],
  ["files/atomic-file.ts", ["error.code"], byNode],
  ["files/save-path.ts", ["error.draft", "error.cause"], ofOurs],
  ["files/system-errors.ts", ["error.cause", "JSON.stringify(error.draft)"], ofOurs],
  [
    "files/read-file.ts",
    ["(error as NodeJS.ErrnoException).code", "error instanceof PathRefusal", "error.message"],
    byNode,
  ],
  ["handler/create-handler.ts", ["error.cause", "error.failed", "{error.message}"], ofOurs],
  [
    "handler/problem-for-error.ts",
    ["error.issues", "error.status", "{ retryAfterMs } = error as Partial<ApiError>"],
    ofOurs,
  ],
  ["queue/read-job.ts", ["error instanceof Objection", "error.message"], byParser],
  ["queue/job-processor.ts", ["{error.code}", "{error.message}", "(error as RetryLater).delayMs"], ofOurs],
  ["service/endpoint.ts", ['Object.hasOwn(error, "cause")', "error.cause", "error.toResponse"], ofOurs],
  ["service/listen.ts", ["{ code, message } = cause", "{code ?? message}"], byNode],
  ["testing/known-templates.ts", ["error.issues"], ofOurs],
  [
    "transport/explain.ts",
    [
      "{ code, syscall } = error",
      "error instanceof ProxyFailure",
      "Object.hasOwn(handshakes, code)",
      "error.message",
      "{code}",
      "code.startsWith",
    ],
    guarded,
  ],
];

const advice =
  "A caught value may have getters that throw, or be a proxy. Read it with `readForeign`, `readForeignText`, `isInstance`, `safeString`, `describeThrown` or `nameOfError` (src/errors/). If only trusted code can throw there, add the place to `allowed` in this test, with the reason";

function isAllowed(file: string, text: string): boolean {
  return allowed.some(([path, reads]) =>
    path.endsWith("/") ? file.startsWith(path) : path === file && reads.includes(text),
  );
}

describe("the source code", () => {
  const reads = readsOfCaughtValues(sourceFiles());

  it("reads caught values only with the guarded reader, or where this test says why it is safe", () => {
    const wrong = reads.filter(({ file, text }) => !isAllowed(file, text));
    const listed = wrong.map(({ file, line, text }) => `src/${file}:${line}: ${text}`);
    expect(listed, advice).toEqual([]);
  });

  it("has every place that this test allows", () => {
    const unused = allowed.flatMap(([file, texts]) =>
      texts
        .filter((text) => !reads.some((read) => read.file === file && read.text === text))
        .map((text) => [file, text]),
    );
    expect(unused, "Remove these from `allowed`").toEqual([]);
  });
});

describe("the search for reads of caught values", () => {
  it.each<[what: string, code: string, reads: string[]]>([
    ["a property", "try { f(); } catch (error) { g(error.code); }", ["error.code"]],
    ["an optional property", "try { f(); } catch (e) { g(e?.code); }", ["e?.code"]],
    ["an element", 'try { f(); } catch (e) { g(e["code"]); }', ['e["code"]']],
    ["a method", "try { f(); } catch (e) { e.toString(); }", ["e.toString"]],
    ["an assignment", "try { f(); } catch (e) { e.stack = 1; }", ["e.stack"]],
    ["a cast", "try { f(); } catch (e) { g((e as Error).name); }", ["(e as Error).name"]],
    ["a pattern", "try { f(); } catch (e) { const { name } = e; }", ["{ name } = e"]],
    [
      "a pattern in the clause",
      "try { f(); } catch ({ name }) { g(name); }",
      ["catch ({ name }) { g(name); }"],
    ],
    ["an alias", "try { f(); } catch (e) { const other = e; g(other.name); }", ["other.name"]],
    ["an assigned alias", "let last; try { f(); } catch (e) { last = e; } g(last.name);", ["last.name"]],
    [
      "a value behind it",
      "try { f(); } catch (e) { const c = Object(e).cause; g(c.code); }",
      ["Object(e).cause", "c.code"],
    ],
    [
      "the result of the reader",
      'try { f(); } catch (e) { const c = readForeign(e, "a"); g(c.b); }',
      ["c.b"],
    ],
    ["a conversion", "try { f(); } catch (e) { g(String(e)); }", ["String(e)"]],
    ["a template string", "try { f(); } catch (e) { g(`a $".concat("{e}`); }"), ["{e}"]],
    ["a sum", 'try { f(); } catch (e) { g("a" + e); }', ['"a" + e']],
    ["a spread", "try { f(); } catch (e) { g({ ...e }); }", ["...e"]],
    ["instanceof", "try { f(); } catch (e) { g(e instanceof Error); }", ["e instanceof Error"]],
    ["in", 'try { f(); } catch (e) { g("code" in e); }', ['"code" in e']],
    ["a rejection handler", "p.catch((e) => e.code);", ["e.code"]],
    ["a second handler", "p.then(f, (e) => e.code);", ["e.code"]],
    ["a named handler", "p.catch(g); function g(e) { return e.code; }", ["e.code"]],
    ["a pattern of a handler", "p.catch(({ code }) => f(code));", ["{ code }"]],
    ["a parameter", "function g(error: unknown) { return error.code; }", ["error.code"]],
    ["a function in a guard", "try { g(() => e2.a); } catch { } p.catch((e2) => e2.b);", ["e2.b"]],
    ["a guard that reads", "try { f(); } catch (e) { try { g(e.a); } catch { } }", []],
    ["a guard with a later function", "p.catch((e) => { try { h(() => e.a); } catch { } });", ["e.a"]],
    ["another variable of this name", "try { f(); } catch (e) { } { const e = f(); g(e.a); }", []],
    ["passing it on", "try { f(); } catch (e) { g(e); throw e; }", []],
  ])("finds %s", (_what, code, expected) => {
    const reads = readsOfCaughtValues(new Map([["a.ts", code]]));
    expect(reads.map(({ text }) => text)).toEqual(expected);
  });
});
