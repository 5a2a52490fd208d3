import { ServerError } from "template-pdf";
import { expect, it, vi } from "vitest";
import type { Call } from "../../src/emulator/index.ts";
import { clientOf, rejectionOf } from "../support/service.ts";
import { emulate, generate } from "./emulated.ts";

const letter = { "letter.json": '{"content":"Dear {{name}}"}' };
const files = { ...letter, "broken.mjs": "export default () => null;" };

it("onCall reports every call after its response, without the API key and the values", async () => {
  const calls: Call[] = [];
  const onCall = (call: Call) => void calls.push(call);
  const emulator = await emulate(files, { onCall, onError() {}, limits: { threads: 1 } });
  const response = await generate(emulator, "letter", { name: "Canary-in-values" });
  const bytes = (await response.arrayBuffer()).byteLength;
  await generate(emulator, "letter", {});
  await generate({ ...emulator, apiKey: "canary-key" }, "letter", {});
  await generate(emulator, "receipt £", {});
  await generate(emulator, "broken", {});
  await fetch(`${emulator.baseUrl}/elsewhere`);
  const requestId = expect.stringMatching(/^[\w-]{36}$/);
  const call = { method: "POST", bytes: 0, durationMs: expect.any(Number), requestId, detail: undefined };
  const expected = (uid: string, status: number, detail?: string) => ({
    ...{ ...call, path: `/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`, uid, status },
    ...(detail && { detail: expect.stringContaining(detail) }),
  });
  expect(calls).toEqual([
    { ...expected("letter", 200), bytes, requestId: response.headers.get("x-request-id") },
    expected("letter", 422, "name has no value"),
    expected("letter", 401, "not valid for this server"),
    expected("receipt £", 404, "no template"),
    expected("broken", 500),
    { ...expected("", 404, "This path does not exist"), method: "GET", path: "/elsewhere", uid: undefined },
  ]);
  expect(JSON.stringify(calls).toLowerCase()).not.toMatch(/canary|dev_/);
});

it("onCall reports the status of calls with an injected fault", async () => {
  const onCall = vi.fn();
  const emulator = await emulate(letter, { onCall, faults: ["429 every 2", "reset every 3"] });
  for (let index = 0; index < 3; index++) await generate(emulator, "letter", { name: "Zoë" }).catch(() => {});
  expect(onCall.mock.calls.map(([{ status, detail }]) => [status, detail])).toEqual([
    [200, undefined],
    [429, expect.stringContaining("429")],
    [0, expect.stringContaining("reset")],
  ]);
});

it("onCall reports a HEAD request with status 405", async () => {
  const onCall = vi.fn();
  const emulator = await emulate(letter, { onCall });
  expect((await generate(emulator, "letter", {}, { method: "HEAD", body: null })).status).toBe(405);
  expect(onCall.mock.lastCall?.[0]).toMatchObject({ method: "HEAD", status: 405, detail: undefined });
});

it.each<[string, () => unknown]>([
  [
    "throw",
    () => {
      throw new Error("disk full");
    },
  ],
  ["reject", () => Promise.reject(new Error("disk full"))],
])("a call receives a response even if onCall and onError %s", async (_, fail) => {
  const onError = fail as () => void;
  const emulator = await emulate(files, { onCall: fail, onError, limits: { threads: 1 } });
  expect((await generate(emulator, "letter", { name: "Zoë" })).status).toBe(200);
  const broken = await generate(emulator, "broken");
  expect(broken.status).toBe(500);
  expect(await broken.json()).toMatchObject({
    type: "urn:template-pdf:problem:template-broken",
    detail: expect.stringMatching(/^The template "broken" cannot be rendered\. For the position/),
  });
});

it("onCall lists the characters that the fonts of a document lack, and the document is still complete", async () => {
  const onCall = vi.fn();
  const emulator = await emulate(letter, { onCall });
  expect((await generate(emulator, "letter", { name: "Zoë ✓ 中" })).status).toBe(200);
  const { detail, bytes } = onCall.mock.lastCall?.[0] ?? {};
  expect(detail).toBe(
    "its fonts lack ✓ (U+2713), 中 (U+4E2D), so empty boxes are shown. Use another font (see --fonts)",
  );
  expect(bytes).toBeGreaterThan(1_000);
  await generate(emulator, "letter", { name: "一二三四五六七八九十百千" });
  expect(onCall.mock.lastCall?.[0].detail).toMatch(
    /^its fonts lack (?:. \(U\+[\dA-F]{4}\)(?:, | and )){10}2 more, so empty/,
  );
});

it("the client does not retry a template that cannot be rendered, and the error says to fix the template", async () => {
  const onError = vi.fn();
  const { baseUrl, apiKey } = await emulate(files, { onError, limits: { threads: 1 } });
  const pdfs = clientOf(baseUrl, { apiKey, retry: undefined });
  const error = await rejectionOf(pdfs.generate("broken", {}).bytes());
  expect(error).toBeInstanceOf(ServerError);
  expect(error).toMatchObject({ status: 500, attempts: 1 });
  const words = /"The template \\"broken\\" cannot be rendered\. .* Fix the template\./;
  expect((error as Error).message).toMatch(words);
  expect(onError).toHaveBeenCalledOnce();
});
