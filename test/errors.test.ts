import { inspect } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { TemplatePdfError } from "../src/errors/errors.ts";
import * as errors from "../src/errors/errors.ts";

type Family = typeof errors;
const here: Family = errors;
type Name = keyof Family;

/** Every class of the family: its code, its parent, and one of its errors. */
const classes: [Name, string, Name | undefined, (family: Family) => TemplatePdfError][] = [
  ["TemplatePdfError", "error", undefined, (of) => new of.TemplatePdfError("m")],
  ["ConfigurationError", "invalid_configuration", "TemplatePdfError", (of) => new of.ConfigurationError("m")],
  [
    "ValuesError",
    "invalid_values",
    "TemplatePdfError",
    (of) => new of.ValuesError("m", { issues: [], uid: "u" }),
  ],
  ["ConnectionError", "connection_failed", "TemplatePdfError", (of) => new of.ConnectionError("m")],
  [
    "TimeoutError",
    "timeout",
    "TemplatePdfError",
    (of) => new of.TimeoutError("m", { phase: "stall", limitMs: 30_000 }),
  ],
  ["ApiError", "api_error", "TemplatePdfError", (of) => new of.ApiError("m", { status: 418 })],
  ["BadRequestError", "bad_request", "ApiError", (of) => new of.BadRequestError("m", { status: 400 })],
  [
    "AuthenticationError",
    "authentication_failed",
    "ApiError",
    (of) => new of.AuthenticationError("m", { status: 401 }),
  ],
  ["PermissionError", "permission_denied", "ApiError", (of) => new of.PermissionError("m", { status: 403 })],
  ["NotFoundError", "not_found", "ApiError", (of) => new of.NotFoundError("m", { status: 404 })],
  ["RateLimitError", "rate_limited", "ApiError", (of) => new of.RateLimitError("m", { status: 429 })],
  ["ServerError", "server_error", "ApiError", (of) => new of.ServerError("m", { status: 503 })],
  [
    "InvalidPdfError",
    "invalid_pdf",
    "TemplatePdfError",
    (of) => new of.InvalidPdfError("m", { excerpt: "" }),
  ],
  [
    "TruncatedPdfError",
    "truncated_pdf",
    "TemplatePdfError",
    (of) => new of.TruncatedPdfError("m", { receivedBytes: 1 }),
  ],
  ["OversizedPdfError", "oversized_pdf", "TemplatePdfError", (of) => new of.OversizedPdfError("m")],
  ["SaveError", "not_saved", "TemplatePdfError", (of) => new of.SaveError("m", { path: "a.pdf" })],
];

/** The class itself and all above it. */
function lineage(name: Name | undefined): Name[] {
  const parent = classes.find(([one]) => one === name)?.[2];
  return name === undefined ? [] : [name, ...lineage(parent)];
}

/** Which classes of one copy of the package recognise an error. */
const recognisers = (family: Family, error: unknown) =>
  classes.map(([name]) => name).filter((name) => (family[name] as typeof TemplatePdfError).is(error));

const inOrder = (names: Name[]) => classes.map(([name]) => name).filter((name) => names.includes(name));

describe("the family", () => {
  it("is listed here whole", () => {
    const exported = Object.keys(errors).filter((name) => /^[A-Z]/.test(name));
    expect(classes.map(([name]) => name).sort()).toEqual(exported.sort());
  });

  it("has one code for each class", () => {
    expect(new Set(classes.map(([, code]) => code)).size).toBe(classes.length);
  });
});

describe.each(classes)("%s", (name, code, parent, make) => {
  const error = make(errors);

  it("is an error with its name and code, also in its stack", () => {
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, code, message: "m", attempts: 0 });
    expect(error.stack).toMatch(new RegExp(`^${name}: m\n.*errors\\.test\\.ts`, "s"));
    expect(String(error)).toBe(`${name}: m`);
    expect(Object.keys(error)).not.toContain("name");
  });

  it(`is a ${parent ?? "Error"}, and of no other class`, () => {
    expect(recognisers(errors, error)).toEqual(inOrder(lineage(name)));
    const instances = classes.map(([one]) => one).filter((one) => error instanceof here[one]);
    expect(instances).toEqual(inOrder(lineage(name)));
  });
});

it("takes nothing for an error of this package that refuses to be read", () => {
  const { proxy, revoke } = Proxy.revocable(new Error("m"), {});
  revoke();
  expect(recognisers(errors, proxy)).toEqual([]);
});

describe("an error of another copy of the package", () => {
  let copies: Record<"again" | "minified", Family>;

  beforeAll(async () => {
    vi.resetModules();
    const entryPoints = [new URL("../src/errors/errors.ts", import.meta.url).pathname];
    const { outputFiles } = await build({
      entryPoints,
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    const code = Buffer.from(outputFiles[0]?.contents ?? "").toString("base64");
    copies = {
      again: await import("../src/errors/errors.ts"),
      minified: (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as Family,
    };
  });
  afterAll(() => vi.resetModules());

  it.each(["again", "minified"] as const)(
    "(%s) is recognised by this one and the other way round",
    (which) => {
      const copy = copies[which];
      expect(copy.ApiError).not.toBe(errors.ApiError);
      for (const [name, , , make] of classes) {
        expect(make(copy)).not.toBeInstanceOf(here[name]);
        expect(recognisers(errors, make(copy))).toEqual(inOrder(lineage(name)));
        expect(recognisers(copy, make(errors))).toEqual(inOrder(lineage(name)));
      }
    },
  );

  it("keeps its name when a minifier renamed its class", () => {
    expect(copies.minified.NotFoundError.name).not.toBe("NotFoundError");
    for (const [name, code, , make] of classes) expect(make(copies.minified)).toMatchObject({ name, code });
  });
});

describe("is", () => {
  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a string", "NotFoundError"],
    ["a plain error", new Error("m")],
    [
      "an error that merely has the name",
      Object.assign(new Error("m"), { name: "NotFoundError", code: "not_found" }),
    ],
    ["an object without a prototype", Object.create(null)],
    ["the class itself", errors.NotFoundError],
    [
      "what JSON makes of an error",
      JSON.parse(JSON.stringify(new errors.NotFoundError("m", { status: 404 }))),
    ],
  ])("is false for %s", (_, value) => {
    expect(recognisers(errors, value)).toEqual([]);
  });

  it("tells a caller's own subclass as what it is below", () => {
    class TenantError extends errors.NotFoundError {}
    expect(recognisers(errors, new TenantError("m", { status: 404 }))).toEqual(
      inOrder(lineage("NotFoundError")),
    );
  });
});

describe("what an error tells", () => {
  const cause = new Error("socket hang up");
  const headers = new Headers({ "x-echo": "CANARY" });
  const answer = { attempts: 3, status: 404, requestId: "req_1", headers, cause };
  const error = new errors.NotFoundError("m", {
    ...answer,
    body: { text: "CANARY" },
    rawBody: "CANARY",
    detail: "CANARY",
  });

  it("is all there for who asks", () => {
    expect(error).toMatchObject({ attempts: 3, status: 404, requestId: "req_1" });
    expect(error.headers).toBe(headers);
    expect(error.cause).toBe(cause);
    expect(error.body).toEqual({ text: "CANARY" });
    expect(error.rawBody).toBe("CANARY");
    expect(error.detail).toBe("CANARY");
  });

  it("holds neither headers nor body when it is logged", () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "NotFoundError",
      code: "not_found",
      message: "m",
      attempts: 3,
      status: 404,
      requestId: "req_1",
    });
    for (const options of [{}, { showHidden: true, depth: null }])
      expect(inspect(error, options)).not.toContain("CANARY");
    expect(JSON.stringify({ ...error }) + String(error) + error.stack).not.toContain("CANARY");
    expect(JSON.stringify(structuredClone(error.toJSON()))).not.toContain("CANARY");
  });

  it("has no members for what there was not", () => {
    const bare = new errors.ConnectionError("m", {
      status: undefined,
      requestId: undefined,
      headers: undefined,
    });
    expect(Object.keys(bare).sort()).toEqual(["attempts", "code"]);
    expect("cause" in bare).toBe(false);
    expect(bare.headers).toBeUndefined();
    expect(
      new errors.TruncatedPdfError("m", { receivedBytes: 1, promisedBytes: undefined }),
    ).not.toHaveProperty("promisedBytes");
    expect(new errors.ApiError("m", { status: 418 }).rawBody).toBe("");
  });

  it("has a cause wherever one was given, even undefined", () => {
    expect("cause" in new errors.ConnectionError("m", { cause: undefined })).toBe(true);
    expect(Object.keys(new errors.ConnectionError("m", { cause }))).not.toContain("cause");
  });

  it("of its own class is in its JSON", () => {
    const issues = [{ path: ["a", 0], message: "is NaN" }];
    expect(new errors.ValuesError("m", { issues, uid: "u" }).toJSON()).toMatchObject({ issues, uid: "u" });
    const truncated = new errors.TruncatedPdfError("m", { receivedBytes: 5, promisedBytes: 9 });
    expect(truncated.toJSON()).toMatchObject({ receivedBytes: 5, promisedBytes: 9 });
    expect(new errors.SaveError("m", { path: "a.pdf" }).toJSON()).toMatchObject({ path: "a.pdf" });
  });
});
