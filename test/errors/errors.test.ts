import { inspect } from "node:util";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import * as errors from "../../src/errors/errors.ts";

type Family = typeof errors;
type Name = Exclude<keyof Family, "nameErrors">;
const base = "TemplatePdfError";

/** Each class with its code, its parent class and its own properties. */
const classes: readonly (readonly [Name, string, Name | undefined, object])[] = [
  ["TemplatePdfError", "error", undefined, {}],
  ["ConfigurationError", "invalid_configuration", base, {}],
  ["ValuesError", "invalid_values", base, { issues: [{ path: ["a", 0], message: "is NaN" }], uid: "u" }],
  ["ConnectionError", "connection_failed", base, {}],
  ["TimeoutError", "timeout", base, { phase: "stall", limitMs: 30_000 }],
  ["ApiError", "api_error", base, { status: 418 }],
  ["BadRequestError", "bad_request", "ApiError", { status: 400 }],
  ["AuthenticationError", "authentication_failed", "ApiError", { status: 401 }],
  ["PermissionError", "permission_denied", "ApiError", { status: 403 }],
  ["NotFoundError", "not_found", "ApiError", { status: 404 }],
  ["RateLimitError", "rate_limited", "ApiError", { status: 429 }],
  ["ServerError", "server_error", "ApiError", { status: 503 }],
  ["InvalidPdfError", "invalid_pdf", base, { excerpt: "" }],
  ["TruncatedPdfError", "truncated_pdf", base, { receivedBytes: 1, promisedBytes: 9 }],
  ["OversizedPdfError", "oversized_pdf", base, {}],
  ["SaveError", "not_saved", base, { path: "a.pdf" }],
];
const names = classes.map(([name]) => name);

function make(family: Family, name: Name, facts: object = {}): errors.TemplatePdfError {
  return new (family[name] as typeof errors.TemplatePdfError)("m", facts);
}

/** Returns a class and its parents, in the order of the table. */
function lineage(name: Name): Name[] {
  const parent = classes.find(([one]) => one === name)?.[2];
  return parent === undefined ? [name] : [...lineage(parent), name];
}

/** Returns the classes in a copy of the package whose `is` recognises an error. */
const recognisers = (family: Family, error: unknown) =>
  names.filter((name) => (family[name] as typeof errors.TemplatePdfError).is(error));

it("is() can be passed as a callback and narrows the type", () => {
  const all: unknown[] = names.map((name) => make(errors, name));
  const limited = all.filter(errors.RateLimitError.is);
  expect(limited.map(({ name, retryAfterMs }) => ({ name, retryAfterMs }))).toEqual([
    { name: "RateLimitError", retryAfterMs: undefined },
  ]);
  expect(all.filter(errors.ApiError.is)).toHaveLength(7);
  expect(new errors.AuthenticationError("m", { status: 401 })).toSatisfy(errors.AuthenticationError.is);
});

it("An error tells web frameworks to respond with 502, or 500 if no request was sent, without its message", () => {
  for (const name of names) {
    const sent = make(errors, name, { attempts: 1, status: 401 });
    expect(sent).toMatchObject({ statusCode: 502, expose: false, status: 401 });
    expect(make(errors, name).statusCode).toBe(500);
    // Loggers print own properties.
    expect(Object.keys(sent)).not.toContain("statusCode");
    expect(sent.docUrl).toBe(
      `https://template-pdf.github.io/template-pdf/guides/error-codes.html#${sent.code}`,
    );
    expect(JSON.parse(JSON.stringify(sent))).not.toHaveProperty("expose");
  }
});

it("Every error class is exported and has a unique code", () => {
  const exported = Object.keys(errors).filter((name) => /^[A-Z]/.test(name));
  expect([...names].sort()).toEqual(exported.sort());
  expect(new Set(classes.map(([, code]) => code)).size).toBe(classes.length);
});

it.each(classes)(
  "%s has its own name, code and properties, and is recognized by is()",
  (name, code, _, facts) => {
    const error = make(errors, name, facts);
    const own = { name, code, message: "m", attempts: 0, ...facts };
    expect(error).toMatchObject(own);
    expect(error.toJSON()).toEqual(own);
    expect(error.stack).toMatch(new RegExp(`^${name}: m\n.*errors\\.test\\.ts`, "s"));
    expect(String(error)).toBe(`${name}: m`);
    expect(Object.keys(error)).not.toContain("name");
    expect(recognisers(errors, error)).toEqual(lineage(name));
    expect(names.filter((one) => error instanceof errors[one])).toEqual(lineage(name));
  },
);

it("An error from a minified copy of the package keeps its name and is recognized by is()", async () => {
  const entryPoints = [new URL("../../src/errors/errors.ts", import.meta.url).pathname];
  const { outputFiles } = await build({ entryPoints, minify: true, format: "esm", write: false });
  const code = Buffer.from(outputFiles[0]?.contents ?? "").toString("base64");
  const copy = (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as Family;
  expect(copy.NotFoundError.name).not.toBe("NotFoundError");
  for (const [name, code, , facts] of classes) {
    const error = make(copy, name, facts);
    expect(error).toMatchObject({ name, code });
    expect(error).not.toBeInstanceOf(errors[name]);
    expect(recognisers(errors, error)).toEqual(lineage(name));
    expect(recognisers(copy, make(errors, name, facts))).toEqual(lineage(name));
  }
});

describe("is()", () => {
  const { proxy: unreadable, revoke } = Proxy.revocable(new Error("m"), {});
  revoke();
  const others: readonly unknown[] = [
    ...[undefined, null, "NotFoundError", new Error("m"), Object.create(null), unreadable],
    Object.assign(new Error("m"), { name: "NotFoundError", code: "not_found" }),
    errors.NotFoundError,
    new errors.NotFoundError("m", { status: 404 }).toJSON(),
  ];
  it("returns false for values that are not errors from this package", () => {
    expect(others.map((value) => recognisers(errors, value))).toEqual(others.map(() => []));
  });

  it("returns true for an instance of a custom subclass", () => {
    class TenantError extends errors.NotFoundError {}
    const error = new TenantError("m", { status: 404 });
    expect(recognisers(errors, error)).toEqual(lineage("NotFoundError"));
  });
});

describe("An error", () => {
  const cause = new Error("socket hang up");
  const headers = new Headers({ "x-echo": "CANARY" });
  const shown = { attempts: 3, status: 404, requestId: "req_1" };
  const hidden = { headers, body: { text: "CANARY" }, rawBody: "CANARY", detail: "CANARY" };
  const error = new errors.NotFoundError("m", { ...shown, ...hidden, cause });

  it("has the response's status, headers and body as properties", () => {
    expect(error).toMatchObject({ ...shown, body: hidden.body, rawBody: "CANARY", detail: "CANARY" });
    expect({ headers: error.headers, cause: error.cause }).toEqual({ headers, cause });
    expect(error.headers).toBe(headers);
    expect(Object.keys(error)).not.toContain("cause");
  });

  it("does not expose the headers or the body when it is logged", () => {
    const json = { name: "NotFoundError", code: "not_found", message: "m", ...shown };
    expect(JSON.parse(JSON.stringify(error))).toEqual(json);
    expect(JSON.stringify(structuredClone(error.toJSON()))).not.toContain("CANARY");
    expect(JSON.stringify({ ...error }) + String(error) + error.stack).not.toContain("CANARY");
    for (const options of [{}, { showHidden: true, depth: null }]) {
      expect(inspect(error, options)).not.toContain("CANARY");
    }
  });

  it("omits undefined properties", () => {
    const facts = { status: undefined, requestId: undefined, headers: undefined, cause: undefined };
    const bare = new errors.ConnectionError("m", facts);
    expect(Object.keys(bare).sort()).toEqual(["attempts", "code"]);
    expect({ hasCause: "cause" in bare, headers: bare.headers }).toEqual({
      hasCause: false,
      headers: undefined,
    });
    expect(new errors.ApiError("m", { status: 418 }).rawBody).toBe("");
  });
});
