import { describe, expect, it, vi } from "vitest";
import { ValuesError } from "../src/errors/errors.ts";
import { serializeValues } from "../src/request/values.ts";

/** The error for values that cannot be sent. */
function refusal(values: unknown, ...areOfSchema: [boolean?]): ValuesError {
  try {
    serializeValues(values, "inv", ...areOfSchema);
  } catch (error) {
    if (ValuesError.is(error)) return error;
    throw error;
  }
  throw new Error("These values were not refused.");
}

const reasons = (values: unknown) => refusal(values).issues.map(({ message }) => message);

/** Objects one in the other, so that the innermost stands at `depth` names. */
function nested(depth: number, innermost: unknown): unknown {
  let value = innermost;
  for (let level = depth - 1; level >= 0; level--) value = { [`k${level}`]: value };
  return value;
}

const unreadable = () => {
  throw new TypeError("thrown");
};

describe("what stands where the values should be is told", () => {
  const notOne = "must be one JSON object,";
  it.each<[string, unknown]>([
    [`${notOne} got null`, null],
    [`${notOne} got undefined`, undefined],
    [`${notOne} got a string`, "text"],
    [`${notOne} got an array`, [1]],
    [`${notOne} got a Date`, new Date(0)],
    [`${notOne} but its toJSON gives a string`, { toJSON: () => "text" }],
    [`${notOne} but its toJSON gives an array`, { toJSON: () => [] }],
    [`${notOne} but its toJSON gives null`, { toJSON: () => null }],
    [`${notOne} but its toJSON gives undefined`, { toJSON: () => undefined }],
    ["is a Promise: await it first", Promise.resolve({})],
    ["is a Map, whose content JSON leaves out or changes: use plain objects and arrays", new Map()],
    [
      "could not be read: TypeError was thrown by a getter, a proxy or toJSON",
      new Proxy({}, { get: unreadable }),
    ],
  ])("%s", (message, values) => {
    expect(refusal(values).issues).toEqual([{ path: [], message }]);
  });
});

describe("the message", () => {
  it.each<[string, [boolean?]]>([
    ["The values for", []],
    ["The values that the schema made for", [true]],
  ])("says whose values they are: %s", (begin, areOfSchema) => {
    expect(refusal({ a: Number.NaN }, ...areOfSchema).message).toBe(
      `${begin} template "inv" cannot be sent: values.a is NaN, which JSON turns into null. Nothing was sent.`,
    );
  });

  it.each([
    [1, "values[0] is NaN, which JSON turns into null. Nothing was sent."],
    [20, "which JSON turns into null. Nothing was sent."],
    [21, "which JSON turns into null; and 1 more. Nothing was sent."],
  ])("of %d issues counts those that it does not list", (count, end) => {
    const list = Array(count).fill(Number.NaN);
    const { message } = refusal({ list });
    expect(message.replaceAll("values.list", "values").slice(-end.length)).toBe(end);
    expect(message.match(/ is NaN/g)).toHaveLength(Math.min(count, 20));
    expect(message.includes(" more")).toBe(count > 20);
  });

  it.each([
    [20, `values${Array.from({ length: 20 }, (_, index) => `.k${index}`).join("")} is NaN`],
    [21, "values.k0.k1.k2.k3.k4.k5.k6.k7.k8.k9….k16.k17.k18.k19.k20 is NaN"],
    [400, "values.k0.k1.k2.k3.k4.k5.k6.k7.k8.k9….k395.k396.k397.k398.k399 is NaN"],
  ])("of a path of %d names tells both its ends", (depth, told) => {
    expect(refusal(nested(depth, Number.NaN)).message).toContain(`cannot be sent: ${told}`);
  });
});

describe("values are searched", () => {
  it("500 levels deep", () => {
    const deepest = nested(499, {});
    expect(serializeValues(deepest, "inv")).toBe(JSON.stringify(deepest));
    expect(reasons(nested(500, {}))).toEqual(["is nested deeper than 500 levels"]);
  });

  it.each([
    ["an array", Array(3_000).fill(Number.NaN)],
    ["an object", Object.fromEntries(Array.from({ length: 3_000 }, (_, name) => [`n${name}`, Number.NaN]))],
  ])("for 1,000 issues at most: %s", (_, many) => {
    expect(reasons({ many })).toHaveLength(1_000);
  });
});

describe("toJSON", () => {
  it("is asked with the names that JSON asks it with", () => {
    const toJSON = vi.fn((key: string) => ({ key }));
    serializeValues({ toJSON }, "inv");
    expect(toJSON.mock.calls).toEqual([[""], [""]]);
  });

  it("of what is no date may give null", () => {
    expect(serializeValues({ a: { toJSON: () => null } }, "inv")).toBe('{"a":null}');
  });

  it("that is no function is a member as any other", () => {
    expect(refusal({ toJSON: Number.NaN }).issues).toEqual([
      { path: ["toJSON"], message: "is NaN, which JSON turns into null" },
    ]);
  });
});

it("a plain object may call itself what it likes", () => {
  const thing = Object.defineProperty({ a: 1 }, Symbol.toStringTag, { value: "Thing" });
  expect(serializeValues({ thing }, "inv")).toBe('{"thing":{"a":1}}');
});
