import { ServerError } from "template-pdf";
import { beforeEach, expect, it, vi } from "vitest";
import type { Call } from "../../src/emulator/index.ts";
import { eventually } from "../support/eventually.ts";
import { clientOf, rejectionOf } from "../support/service.ts";
import { emulate, generate, shareEmulator } from "./emulated.ts";

const onCall = vi.fn<(call: Call) => unknown>();
const onError = vi.fn<(error: unknown) => unknown>();
const shared = shareEmulator(
  { "letter.json": '{"content":"Dear {{name}}"}', "broken.mjs": "export default () => null;" },
  () => ({ onCall: (call) => onCall(call) as undefined, onError: (error) => onError(error) as undefined }),
);
beforeEach(() => {
  onCall.mockReset();
  onError.mockReset();
});

it("onCall receives a report of every call, but neither the API key nor the values", async () => {
  const response = await generate(shared, "letter", { name: "Canary-in-values" });
  const bytes = (await response.arrayBuffer()).byteLength;
  await generate(shared, "letter", {});
  await generate({ ...shared, apiKey: "canary-key" }, "letter", {});
  await generate(shared, "receipt £", {});
  await generate(shared, "broken", {});
  await fetch(`${shared.baseUrl}/elsewhere`);
  await generate(shared, "letter", {}, { method: "HEAD", body: null });
  const requestId = expect.stringMatching(/^[\w-]{36}$/);
  const call = { method: "POST", bytes: 0, durationMs: expect.any(Number), requestId, detail: undefined };
  const expected = (uid: string, status: number, detail?: string) => ({
    ...{ ...call, path: `/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`, uid, status },
    ...(detail && { detail: expect.stringContaining(detail) }),
  });
  const calls = onCall.mock.calls.flat();
  expect(calls).toEqual([
    { ...expected("letter", 200), bytes, requestId: response.headers.get("x-request-id") },
    expected("letter", 422, "name has no value"),
    expected("letter", 401, "not valid for this server"),
    expected("receipt £", 404, "no template"),
    expected("broken", 500),
    { ...expected("", 404, "This path does not exist"), method: "GET", path: "/elsewhere", uid: undefined },
    { ...expected("letter", 405), method: "HEAD" },
  ]);
  expect(JSON.stringify(calls).toLowerCase()).not.toMatch(/canary|dev_/);
});

it("a fault that is requested in a header reaches the client and is reported to onCall", async () => {
  const faults: Readonly<Record<string, object>> = {
    "429 retry-after 2": { code: "rate_limited", retryAfterMs: 2_000 },
    html: { code: "invalid_pdf" },
    cut: { code: "truncated_pdf" },
    reset: { code: "connection_failed" },
  };
  for (const [fault, error] of Object.entries(faults)) {
    const headers = { "x-emulator-fault": fault };
    const pdfs = clientOf(shared.baseUrl, { apiKey: shared.apiKey, headers });
    await expect(pdfs.generate("letter", { name: "Zoë" }).bytes()).rejects.toMatchObject(error);
  }
  await eventually(() => onCall.mock.calls.length === 4);
  const statuses = onCall.mock.calls.map(([{ status, detail }]) => [status, detail]);
  expect(statuses[0]).toEqual([429, expect.stringContaining("429")]);
  expect(statuses[3]).toEqual([0, expect.stringContaining("reset")]);
});

it.each<[string, () => unknown]>([
  ["throw", () => expect.fail("disk full")],
  ["reject", () => Promise.reject(new Error("disk full"))],
])("a call receives a response even if onCall and onError %s", async (_, fail) => {
  onCall.mockImplementation(fail);
  onError.mockImplementation(fail);
  expect((await generate(shared, "letter", { name: "Zoë" })).status).toBe(200);
  const broken = await generate(shared, "broken");
  expect(broken.status).toBe(500);
  expect(await broken.json()).toMatchObject({
    type: "urn:template-pdf:problem:template-broken",
    detail: expect.stringMatching(
      /^The template "broken" cannot be rendered: .*broken\.mjs:1:1: its function returned null/,
    ),
  });
});

it("characters that are missing from a document's fonts are reported to onCall", async () => {
  expect((await generate(shared, "letter", { name: "Zoë ✓ 中" })).status).toBe(200);
  const { detail, bytes } = onCall.mock.lastCall?.[0] ?? {};
  expect(detail).toContain("its fonts lack ✓ (U+2713), 中 (U+4E2D), so empty boxes are shown.");
  expect(bytes).toBeGreaterThan(1_000);
  await generate(shared, "letter", { name: "一二三四五六七八九十百千" });
  expect(onCall.mock.lastCall?.[0].detail).toMatch(
    /^its fonts lack (?:. \(U\+[\dA-F]{4}\)(?:, | and )){10}2 more, so empty/,
  );
});

const highRow = JSON.stringify({
  content: { table: { dontBreakRows: true, body: [[{ stack: [{ $each: "lines", $show: "{{this}}" }] }]] } },
});

it("text that does not fit on a page is reported to onCall, and refused if `strict` is set", async () => {
  const values = { lines: Array.from({ length: 120 }, (_, index) => `Canary ${index}`) };
  const lost = "120 lines do not fit on a page and are missing";
  const loose = await emulate({ "list.json": highRow }, { onCall });
  expect((await generate(loose, "list", values)).status).toBe(200);
  expect(onCall.mock.lastCall?.[0]).toMatchObject({ status: 200, detail: lost });
  const strict = await emulate({ "list.json": highRow }, { onCall, strict: true });
  expect((await generate(strict, "list", { lines: ["1"] })).status).toBe(200);
  const refused = await generate(strict, "list", values);
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({
    detail: `The values do not match the template "list" (list.json): ${lost}.`,
    errors: [{ path: "", detail: lost }],
  });
  const missing = await generate(strict, "list", { lines: ["✓"] });
  expect(await missing.json()).toMatchObject({ status: 422, detail: expect.stringContaining("✓ (U+2713)") });
});

it("the client does not retry a call whose template cannot be rendered", async () => {
  const pdfs = clientOf(shared.baseUrl, { apiKey: shared.apiKey, retry: undefined });
  const error = await rejectionOf(pdfs.generate("broken", {}).bytes());
  expect(error).toBeInstanceOf(ServerError);
  expect(error).toMatchObject({ status: 500, attempts: 1 });
  const words = /"The template \\"broken\\" cannot be rendered: .* Fix the template\./;
  expect((error as Error).message).toMatch(words);
  expect(onError).toHaveBeenCalledOnce();
});
