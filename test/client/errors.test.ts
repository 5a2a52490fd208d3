import * as face from "template-pdf";
import { ApiError, NotFoundError, ServerError, TemplatePdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { rejectionOf, Service, saying } from "../support/service.ts";
import { generate } from "./every-form.ts";

const brand = Symbol.for("template-pdf.error");

/** An error as another copy of this package would make it. */
function ofAnotherCopy(...names: string[]): Error {
  const prototypes = names.reduceRight(
    (parent, name) => Object.create(parent, { name: { value: name }, [brand]: { value: name } }) as object,
    Error.prototype as object,
  );
  return Object.setPrototypeOf(new Error("of another copy"), prototypes) as Error;
}

describe("TemplatePdfError.is", () => {
  it("knows the errors of this copy by class", async () => {
    const service = await Service.start(saying(404));
    const error = await rejectionOf(generate(service.client()).bytes());
    expect(TemplatePdfError.is(error)).toBe(true);
    expect(ApiError.is(error)).toBe(true);
    expect(NotFoundError.is(error)).toBe(true);
    expect(ServerError.is(error)).toBe(false);
  });

  it("knows the errors of another copy, where instanceof does not", () => {
    const foreign = ofAnotherCopy("NotFoundError", "ApiError", "TemplatePdfError");
    expect(foreign instanceof TemplatePdfError).toBe(false);
    expect(TemplatePdfError.is(foreign)).toBe(true);
    expect(ApiError.is(foreign)).toBe(true);
    expect(NotFoundError.is(foreign)).toBe(true);
    expect(ServerError.is(foreign)).toBe(false);
  });

  it.each([
    undefined,
    null,
    0,
    "error",
    {},
    new Error("other"),
    Object.create(null),
    { name: "TemplatePdfError" },
  ])("says no to %o", (other) => {
    expect(TemplatePdfError.is(other)).toBe(false);
    expect(ApiError.is(other)).toBe(false);
  });
});

describe("every error class", () => {
  type AnyErrorClass = new (message: string, facts: object) => TemplatePdfError;
  const classes = Object.entries(face).filter(([name]) => name.endsWith("Error")) as unknown as [
    string,
    AnyErrorClass,
  ][];
  const facts = {
    attempts: 2,
    status: 418,
    requestId: "r-1",
    headers: new Headers({ a: "b" }),
    cause: new Error("behind it"),
    issues: [],
    uid: "inv",
    receivedBytes: 3,
    path: "/tmp/a.pdf",
  };

  it("is there", () => {
    expect(classes.length).toBeGreaterThanOrEqual(15);
  });

  it.each(classes)(
    "%s is an Error with its name, a code of its own, and JSON that is safe to log",
    (name, ErrorClass) => {
      const error = new ErrorClass("What happened.", facts);
      expect(error).toBeInstanceOf(Error);
      expect(error).toBeInstanceOf(TemplatePdfError);
      expect(error.name).toBe(name);
      expect(String(error)).toBe(`${name}: What happened.`);
      expect(error.stack).toContain(`${name}: What happened.`);
      expect(error.cause).toBe(facts.cause);
      expect(error.headers).toBe(facts.headers);
      const json = JSON.parse(JSON.stringify(error)) as Record<string, unknown>;
      expect(json).toMatchObject({
        name,
        message: "What happened.",
        code: error.code,
        attempts: 2,
        status: 418,
        requestId: "r-1",
      });
      expect(json).not.toHaveProperty("headers");
      expect(json).not.toHaveProperty("cause");
    },
  );

  it.each(classes)("%s keeps its name when its class is renamed by a minifier", (name, ErrorClass) => {
    const Renamed = { a: class extends (ErrorClass as typeof TemplatePdfError) {} }.a;
    expect(new Renamed("x", facts).name).toBe(name);
  });

  it("has a code that no other has, in snake case", () => {
    const codes = classes.map(([, ErrorClass]) => new ErrorClass("", facts).code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
  });

  it.each(classes)("%s tells no fact that it does not know", (_, ErrorClass) => {
    const error = new ErrorClass("x", { issues: [], uid: "inv", receivedBytes: 0, path: "" });
    expect(error.attempts).toBe(0);
    expect(Object.keys(error)).not.toContain("status");
    expect(Object.keys(error)).not.toContain("requestId");
    expect("cause" in error).toBe(false);
  });
});
