import { ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generateTools, knownTemplate } from "../../src/mcp/tools.ts";
import { property } from "../support/fuzz.ts";
import { invoice } from "./connect.ts";

const facts = { isReplacing: false, isEmulated: false };
const ofUid = (uid: string, schema: unknown = {}) => knownTemplate(uid, schema, `${uid}.json`);
const toolsOf = (...templates: Parameters<typeof generateTools>[0]) => generateTools(templates, false, facts);
const namesOf = (...uids: string[]) => [...toolsOf(...uids.map((uid) => ofUid(uid))).keys()];

describe("the names of tools", () => {
  it("consist of the uid, with an underscore for each character that clients do not accept", () => {
    expect(namesOf("invoice", "inv.2024", "letter é")).toEqual([
      "generate_invoice",
      "generate_inv_2024",
      "generate_letter__",
    ]);
  });

  it("have a suffix if two uids differ only in such characters, except for the uid that needs no change", () => {
    expect(namesOf("a.b", "a b", "a_b")).toEqual([
      "generate_a_b_2e7336dc",
      "generate_a_b_c8687a08",
      "generate_a_b",
    ]);
  });

  it("do not depend on the order of the templates", () => {
    const named = (...uids: string[]) => {
      const tools = toolsOf(...uids.map((uid) => ofUid(uid)));
      return new Map([...tools].map(([name, tool]) => [tool.read({}).uid, name]));
    };
    expect(named("a.b", "a b", "c")).toEqual(named("c", "a b", "a.b"));
  });

  property("are unique and match the limits of clients, whatever the uids are", () =>
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90, unit: "binary" })), (uids) => {
      const names = namesOf(...uids);
      expect(names).toHaveLength(uids.length);
      for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
    }),
  );
});

describe("a tool", () => {
  it("has the title, the description and the schema of its template", () => {
    const schema = {
      title: "Invoice",
      description: "For customers",
      required: ["total"],
      additionalProperties: false,
    };
    const tool = toolsOf(ofUid("inv", schema)).get("generate_inv")?.tool;
    expect(tool).toMatchObject({ title: "Invoice", inputSchema: { ...schema, type: "object" } });
    expect(tool?.description).toMatch(/^Generates a PDF from the template "inv".*\nFor customers$/s);
  });

  it("has the uid as its title if the schema has none", () => {
    expect(toolsOf(invoice).get("generate_invoice")?.tool.title).toBe("invoice");
  });

  it.each([
    ["true", true],
    ["without a type", { anyOf: [{ required: ["a"] }] }],
    ["with boolean properties", { properties: { a: true, b: false } }],
    [
      "of draft 7",
      { $schema: "http://json-schema.org/draft-07/schema#", properties: { a: { type: "string" } } },
    ],
  ])("is valid for clients if the schema is %s", (_, schema) => {
    const tools = [...toolsOf(ofUid("a", schema)).values()].map(({ tool }) => tool);
    expect(ListToolsResultSchema.parse({ tools }).tools[0]?.inputSchema.type).toBe("object");
  });

  it.each([
    [
      { isReplacing: false, isEmulated: false },
      { destructiveHint: false, openWorldHint: true },
    ],
    [
      { isReplacing: true, isEmulated: true },
      { destructiveHint: true, openWorldHint: false },
    ],
  ])("has truthful hints for %j", (given, hints) => {
    const tool = generateTools([invoice], false, given).get("generate_invoice")?.tool;
    expect(tool?.annotations).toEqual({ readOnlyHint: false, idempotentHint: false, ...hints });
  });

  it("rejects invalid arguments with the property and the reason, but without a value", () => {
    const read = () => toolsOf(invoice).get("generate_invoice")?.read({ total: "secret", note: "secret" });
    expect(read).toThrow(
      'Invalid arguments for "invoice": number is missing; total must be a number; note is not allowed. Nothing was sent.',
    );
  });
});

describe("the tool for other templates", () => {
  const any = () => generateTools([], true, facts).get("generate");

  it("exists only if it is allowed", () => {
    expect(any()?.tool.inputSchema.required).toEqual(["uid", "values"]);
    expect(generateTools([], false, facts).size).toBe(0);
  });

  it.each([
    [{ values: {} }, "uid is missing"],
    [{ uid: "", values: {} }, "uid must have at least 1 character"],
    [{ uid: "a", values: [] }, "values must be an object"],
    [{ uid: "a", values: {}, file: "../x" }, "file is not allowed"],
  ])("rejects %j", (given, reason) => {
    expect(() => any()?.read(given)).toThrow(reason);
  });
});
