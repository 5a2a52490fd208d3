import { once } from "node:events";
import { connect } from "node:net";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Call } from "../../src/emulator/index.ts";
import { defaultMaxNodes } from "../../src/emulator/renderer/definition-size.ts";
import { fakeService } from "../../src/testing/index.ts";
import { eventually } from "../support/eventually.ts";
import { generate, shareEmulator, textOf } from "./emulated.ts";

const onCall = vi.fn<(call: Call) => void>();
const each = (show: unknown, path = "rows") => ({ $each: path, $show: show });
const shared = shareEmulator(
  {
    "fine.json": '{"content":"fine"}',
    "text.json": '{"content":"{{text}}"}',
    "code.json": '{"content":[{"qr":"{{text}}"}]}',
    "rows.json": JSON.stringify({ content: [{ table: { body: [each(["{{this}}", { text: "b" }])] } }] }),
    "pairs.json": JSON.stringify({ content: [each({ stack: [each("{{this}}", "../rows")] })] }),
    "images.json": JSON.stringify({ content: [each({ svg: "<svg>{{../text}}</svg>" })] }),
    "headers.json": JSON.stringify({
      header: [each("{{this}}")],
      content: [each({ text: "x", pageBreak: "after" })],
    }),
    "tree.mjs":
      "const node = (value) => (Array.isArray(value) ? { stack: value.map(node) } : String(value));\n" +
      "export default ({ rows }) => ({ content: node(rows) });",
    "columns.mjs":
      "const node = (value) => (Array.isArray(value) ? { columns: value.map(node) } : String(value));\n" +
      "export default ({ rows }) => ({ content: node(rows) });",
  },
  () => ({ onCall: (call) => onCall(call) }),
);
const rows = (count: number) => Array(count).fill(1);

beforeEach(() => {
  onCall.mockReset();
  shared.errors.length = 0;
});

/** Also reads the body, because an unread body would keep its connection open. */
async function statusOf(uid: string, values: object): Promise<number> {
  const response = await generate(shared, uid, values);
  await response.arrayBuffer();
  return response.status;
}

/** Reads the requests that the playground shows. */
async function requestsInPlayground(): Promise<
  readonly { readonly status: number; readonly detail: string }[]
> {
  const page = await fetch(shared.baseUrl, { headers: { accept: "text/html" } });
  const [, token = ""] = /"playground-token" content="([^"]+)"/.exec(await page.text()) ?? [];
  const headers = { "x-playground-token": token };
  return (await (await fetch(`${shared.baseUrl}/_playground/state`, { headers })).json()).requests;
}

describe("a call whose values are nested 20,000 levels deep", () => {
  const deep = `{"a":${'{"a":'.repeat(10_000)}${"[".repeat(10_000)}${"]".repeat(10_000)}${"}".repeat(10_001)}`;

  it("gets a 422, and is reported to onCall and to the playground", async () => {
    const response = await generate(shared, "fine", {}, { body: deep });
    const { detail } = await response.json();
    expect(response.status).toBe(422);
    expect(detail).toBe("The values object is nested deeper than 500 levels. Flatten it.");
    expect(onCall.mock.calls).toMatchObject([[{ status: 422, uid: "fine", detail }]]);
    expect((await requestsInPlayground())[0]).toMatchObject({ status: 422, detail });
  });

  it("gets a 422 from a fake service", async () => {
    const service = fakeService();
    const url = `${service.baseUrl}/api/v1/templates/a/generate-sync`;
    const headers = { authorization: `API-Key ${service.apiKey}`, "content-type": "application/json" };
    const statusOf = async (body: string) =>
      (await service.fetch(url, { method: "POST", headers, body })).status;
    expect(await statusOf(deep)).toBe(422);
    expect(await statusOf(`{"a":${"[".repeat(499)}${"]".repeat(499)}}`)).toBe(200);
  });
});

describe("a document that would take too much memory or time", () => {
  it.each<[what: string, row: { readonly uid: string; readonly values: object; readonly reason: string }]>([
    ["rows", { uid: "rows", values: { rows: rows(400_000) }, reason: "nodes" }],
    ["combinations of rows", { uid: "pairs", values: { rows: rows(5_000) }, reason: "nodes" }],
    ["words", { uid: "text", values: { text: "1 ".repeat(500_000) }, reason: "nodes" }],
    ["Chinese characters", { uid: "text", values: { text: "中".repeat(300_000) }, reason: "nodes" }],
    ["hyphens", { uid: "text", values: { text: "a-a-a-a-a ".repeat(100_000) }, reason: "nodes" }],
    [
      "copies of a long text in SVG images",
      { uid: "images", values: { text: "<".repeat(500_000), rows: rows(250_000) }, reason: "nodes" },
    ],
    [
      "elements in the headers of its pages",
      { uid: "headers", values: { rows: rows(2_000) }, reason: "nodes" },
    ],
    [
      "elements of a module template",
      { uid: "tree", values: { rows: Array(200_000).fill([1]) }, reason: "nodes" },
    ],
    [
      "letters in one word",
      { uid: "text", values: { text: "x".repeat(900_000) }, reason: "a word of more than 2000 characters" },
    ],
    [
      "letters in a QR code",
      { uid: "code", values: { text: "x".repeat(5_000) }, reason: "a QR code cannot hold its text" },
    ],
  ])(
    "gets a 422 if the values have too many %s, and other calls are served",
    async (_, { uid, values, reason }) => {
      const response = await generate(shared, uid, values);
      const { type, detail } = await response.json();
      expect({ status: response.status, type }).toEqual({
        status: 422,
        type: "urn:template-pdf:problem:invalid-values",
      });
      expect(detail).toContain(reason === "nodes" ? `more than ${defaultMaxNodes} nodes` : reason);
      expect(shared.errors).toEqual([]);
      expect(await textOf(shared, "fine")).toContain("fine");
    },
  );

  it("is rendered up to the limit", async () => {
    // A row is an array with a word, and an object with a word.
    const count = Math.floor(defaultMaxNodes / 4) - 10;
    expect(await statusOf("rows", { rows: rows(count) })).toBe(200);
    expect(await statusOf("rows", { rows: rows(count + 10) })).toBe(422);
  });

  it("is not reported by Node if its elements are nested deeply", async () => {
    const warned = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const nested = Array(100)
      .fill(0)
      .reduce<unknown>((inner) => [inner], "x");
    expect(await statusOf("columns", { rows: nested })).toBe(200);
    const printed = warned.mock.calls.map(String);
    warned.mockRestore();
    expect(printed).toEqual([]);
  });
});

it.each([
  ["a target with credentials", "http://user:pw@127.0.0.1/api/v1/templates/fine/generate-sync", "127.0.0.1"],
  ["a malformed host", "/api/v1/templates/fine/generate-sync", "xn--"],
])("a call with %s gets a 400, which only onCall receives", async (_, target, host) => {
  const socket = connect(Number(new URL(shared.baseUrl).port), "127.0.0.1");
  const key = `authorization: API-Key ${shared.apiKey}`;
  const lines = [`POST ${target} HTTP/1.1`, `host: ${host}`, key, "content-type: application/json"];
  socket.end(`${lines.join("\r\n")}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`);
  const [response] = await once(socket, "data");
  expect(String(response)).toMatch(/^HTTP\/1\.1 400 /);
  await eventually(() => onCall.mock.calls.length > 0);
  expect(onCall.mock.calls).toMatchObject([[{ status: 400 }]]);
  expect(shared.errors).toEqual([]);
});
