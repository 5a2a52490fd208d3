import { expect, it, vi } from "vitest";
import { type Call, TemplateError } from "../../src/emulator/index.ts";
import { emulate, generate } from "./emulated.ts";

const letter = { "letter.json": '{"content":"Dear {{name}}"}' };

it("who asks for a template that is broken learns where to look, and nothing of the file", async () => {
  const onError = vi.fn();
  const emulator = await emulate(
    { "broken.mjs": "export default () => { throw new Error('secret'); };" },
    { onError },
  );
  const answer = await generate(emulator, "broken", {});
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({
    detail:
      'The template "broken" is at fault: no document can be made of it. The terminal of the emulator, or its `onError`, says where in its file, and why.',
  });
  expect(onError.mock.calls.map(([error]) => error)).toEqual([expect.any(TemplateError)]);
});

it("every call is told once it is answered, without key and values", async () => {
  const calls: Call[] = [];
  const onCall = (call: Call) => void calls.push(call);
  const files = { ...letter, "broken.mjs": "export default () => null;" };
  const emulator = await emulate(files, { onCall, onError() {} });
  const answer = await generate(emulator, "letter", { name: "Canary-in-values" });
  const bytes = (await answer.arrayBuffer()).byteLength;
  await generate(emulator, "letter", {});
  await generate({ ...emulator, apiKey: "canary-key" }, "letter", {});
  await generate(emulator, "receipt £", {});
  await generate(emulator, "broken", {});
  await fetch(`${emulator.baseUrl}/elsewhere`);
  const path = (uid: string) => `/api/v1/templates/${uid}/generate-sync`;
  const call = {
    method: "POST",
    bytes: 0,
    durationMs: expect.any(Number),
    requestId: expect.stringMatching(/^[\w-]{36}$/),
  };
  expect(calls).toEqual([
    {
      ...call,
      path: path("letter"),
      uid: "letter",
      status: 200,
      bytes,
      detail: undefined,
      requestId: answer.headers.get("x-request-id"),
    },
    {
      ...call,
      path: path("letter"),
      uid: "letter",
      status: 422,
      detail: expect.stringContaining("name has no value"),
    },
    {
      ...call,
      path: path("letter"),
      uid: "letter",
      status: 401,
      detail: expect.stringContaining("not valid here"),
    },
    {
      ...call,
      path: path("receipt%20%C2%A3"),
      uid: "receipt £",
      status: 404,
      detail: expect.stringContaining("no template"),
    },
    { ...call, path: path("broken"), uid: "broken", status: 500, detail: undefined },
    {
      ...call,
      method: "GET",
      path: "/elsewhere",
      uid: undefined,
      status: 404,
      detail: expect.stringContaining("nothing at this path"),
    },
  ]);
  expect(JSON.stringify(calls).toLowerCase()).not.toMatch(/canary|dev_/);
});

it("a fault is told as what it is", async () => {
  const onCall = vi.fn();
  const emulator = await emulate(letter, { onCall, faults: ["429 every 2", "reset every 3"] });
  for (let index = 0; index < 3; index++) await generate(emulator, "letter", { name: "Zoë" }).catch(() => {});
  expect(onCall.mock.calls.map(([{ status, detail }]) => [status, detail])).toEqual([
    [200, undefined],
    [429, expect.stringContaining("429")],
    [0, expect.stringContaining("reset")],
  ]);
});

it("a HEAD is told and answered as every other wrong method", async () => {
  const onCall = vi.fn();
  const emulator = await emulate(letter, { onCall });
  expect((await generate(emulator, "letter", {}, { method: "HEAD", body: null })).status).toBe(405);
  expect(onCall.mock.lastCall?.[0]).toMatchObject({ method: "HEAD", status: 405, detail: undefined });
});

it("a log that fails later costs nobody the answer, and the process not its life", async () => {
  const fail = async () => {
    throw new Error("disk full");
  };
  const files = { ...letter, "broken.mjs": "export default () => null;" };
  const emulator = await emulate(files, { onCall: fail, onError: fail as () => void });
  expect((await generate(emulator, "letter", { name: "Zoë" })).status).toBe(200);
  expect((await generate(emulator, "broken")).status).toBe(500);
});

it("a log that throws costs nobody the answer", async () => {
  const onCall = () => {
    throw new Error("disk full");
  };
  expect((await generate(await emulate(letter, { onCall }), "letter", { name: "Zoë" })).status).toBe(200);
});
