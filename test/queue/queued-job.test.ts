import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JobCodec, Objection, type QueuedContent, splitId } from "../../src/queue/queued-job.ts";
import type { SealKey } from "../../src/queue/seal.ts";
import { property } from "../support/fuzz.ts";

const sealKey = new Uint8Array(32).fill(7);
const content = { job: { template: "payslip", values: { name: "Ann" } }, index: 3, key: "E-1" };
const values = fc.dictionary(fc.string(), fc.jsonValue());
const run = { name: "2026-11", id: "0123456789ab" };
const id = `${run.id}-${"d".repeat(20)}`;
const input = "i".repeat(12);

/** A codec of the queue `bull:payslips`, unless the options say otherwise. */
function codecWith(options: Partial<ConstructorParameters<typeof JobCodec>[0]> = {}): JobCodec {
  return new JobCodec({ prefix: "bull", name: "payslips", ...options });
}

/** As above, with its key loaded. */
async function openCodecWith(...args: Parameters<typeof codecWith>): Promise<JobCodec> {
  const codec = codecWith(...args);
  await codec.open();
  return codec;
}

const plain = await openCodecWith();
const sealing = await openCodecWith({ sealKey });

/** What Redis returns for a stored job. */
const storedBy = async (codec: JobCodec, sent: QueuedContent = content) =>
  JSON.parse(JSON.stringify(await codec.encode(run, id, input, sent)));

const anyJson = fc.letrec((tie) => {
  const name = fc.constantFrom("v", "input", "content", "sealed", "job", "index", "key", "__proto__");
  return {
    tree: fc.oneof({ depthSize: "small" }, fc.jsonValue(), fc.constant(3), tie("record")),
    record: fc.array(fc.tuple(name, tie("tree"))).map((entries) => Object.fromEntries(entries)),
  };
}).tree;

const anyValue = fc.oneof(anyJson, fc.constantFrom<unknown>("t", "..", "", 0, 1.5, -1, {}, [], undefined));

/** A valid job in which one property has another value, which may also be valid. */
const changedJob = fc
  .tuple(fc.constantFrom("v", "input", "content", "index", "key", "job", "template", "values"), anyValue)
  .map(([changed, value]) =>
    JSON.parse(JSON.stringify({ v: 3, input, content }), (name, old) => (name === changed ? value : old)),
  );

/** A valid job with an additional property. */
const extendedJob = fc.constantFrom<object>(
  { v: 3, input, content, more: 1 },
  { v: 3, input, content: { ...content, more: 1 } },
  { v: 3, input, content: { ...content, job: { ...content.job, options: { baseUrl: "https://x.test" } } } },
);

/** Any data in Redis, often similar to a job that is not sealed. */
const storedData = fc.oneof(
  anyJson,
  fc.record({ v: fc.constant(3), input: fc.string(), content: anyJson }),
  { weight: 6, arbitrary: changedJob },
  extendedJob,
);

describe("a job in the queue", async () => {
  property("is restored unchanged, whether readable or sealed", () =>
    fc.asyncProperty(values, fc.constantFrom(plain, sealing), async (some, codec) => {
      const job = { template: "t", values: some, row: 3 };
      const sent: QueuedContent = JSON.parse(JSON.stringify({ ...content, job }));
      const read = await codec.decode(run, id, await storedBy(codec, sent));
      expect(read).toEqual({ content: sent, input, isSealed: codec.isSealing });
    }),
  );

  it("does not reveal its content if the job is sealed", async () => {
    const [once, again] = [await storedBy(sealing), await storedBy(sealing)];
    expect(JSON.stringify(once)).not.toMatch(/Ann|payslip|E-1/);
    expect(once).not.toEqual(again);
  });

  it("can be unsealed with the same key as base64 or as a Web Crypto key that is not extractable", async () => {
    const usages: KeyUsage[] = ["encrypt", "decrypt"];
    const imported = await crypto.subtle.importKey("raw", sealKey, "AES-GCM", false, usages);
    for (const key of [btoa(String.fromCharCode(...sealKey)), imported]) {
      const codec = await openCodecWith({ sealKey: key });
      expect(await codec.decode(run, id, await storedBy(sealing))).toMatchObject({ content });
      expect(codec.digestOf(run, "key", "E-1")).toBe(sealing.digestOf(run, "key", "E-1"));
    }
  });

  const foreign = "it was changed, or belongs to another job, run, queue or `sealKey`";
  it.each<
    [
      title: string,
      row: {
        readonly reader: JobCodec;
        readonly readAsRun: typeof run;
        readonly readAsId: string;
        readonly change: object;
      },
    ]
  >([
    [
      "with another key",
      {
        reader: await openCodecWith({ sealKey: new Uint8Array(32) }),
        readAsRun: run,
        readAsId: id,
        change: {},
      },
    ],
    [
      "as another job",
      { reader: sealing, readAsRun: run, readAsId: `${run.id}-${"e".repeat(20)}`, change: {} },
    ],
    [
      "in another run with the same ID",
      { reader: sealing, readAsRun: { ...run, name: "2026-12" }, readAsId: id, change: {} },
    ],
    [
      "in a run with another ID",
      { reader: sealing, readAsRun: { ...run, id: "ba9876543210" }, readAsId: id, change: {} },
    ],
    [
      "in another queue",
      { reader: codecWith({ sealKey, name: "invoices" }), readAsRun: run, readAsId: id, change: {} },
    ],
    [
      "under another prefix",
      { reader: codecWith({ sealKey, prefix: "test" }), readAsRun: run, readAsId: id, change: {} },
    ],
    [
      "with the digest of other values",
      { reader: sealing, readAsRun: run, readAsId: id, change: { input: "j".repeat(12) } },
    ],
    [
      "with other bytes",
      { reader: sealing, readAsRun: run, readAsId: id, change: { sealed: btoa("x".repeat(60)) } },
    ],
    ["with no bytes", { reader: sealing, readAsRun: run, readAsId: id, change: { sealed: "" } }],
  ])("cannot be unsealed %s", async (_title, { reader, readAsRun, readAsId, change }) => {
    const stored = { ...(await storedBy(sealing)), ...change };
    await expect(reader.decode(readAsRun, readAsId, stored)).rejects.toThrow(foreign);
  });

  it("is rejected if it is not sealed although the queue has a key, unless unsealed jobs are accepted", async () => {
    const stored = await storedBy(plain);
    const message = "it is not sealed, but this queue has a `sealKey`";
    await expect(sealing.decode(run, id, stored)).rejects.toThrow(message);
    const migrating = await openCodecWith({ sealKey, acceptUnsealed: true });
    expect(await migrating.decode(run, id, stored)).toEqual({ content, input, isSealed: false });
  });

  it("is rejected if it is sealed and the queue has no key", async () => {
    const message = "it is sealed, but this queue has no `sealKey`";
    await expect(plain.decode(run, id, await storedBy(sealing))).rejects.toThrow(message);
  });

  const { job } = content;
  it.each<[why: string, data: unknown]>([
    ["its data is undefined", undefined],
    ["its data is null", null],
    ["its data is an array", []],
    ["its data is a string", "text"],
    ["its format is not 3", { v: 1, input, content }],
    ["its format is not 3", { input, content }],
    ["`input` is not a string", { v: 3, content }],
    ["its data has unknown properties", { v: 3, input, content, more: 1 }],
    ["`sealed` is not its only content", { v: 3, input, content, sealed: "" }],
    ["`sealed` is not its only content", { v: 3, input, sealed: 1 }],
    ["its content is undefined", { v: 3, input }],
    ["its content is null", { v: 3, input, content: null }],
    ["its content has unknown properties", { v: 3, input, content: { ...content, run: "x" } }],
    ["`job` is undefined", { v: 3, input, content: { index: 0 } }],
    ["`template` is not a uid", { v: 3, input, content: { ...content, job: { ...job, template: ".." } } }],
    ["`template` is not a uid", { v: 3, input, content: { ...content, job: { ...job, template: {} } } }],
    ["`values` is not an object", { v: 3, input, content: { ...content, job: { template: "t" } } }],
    ["`values` is not an object", { v: 3, input, content: { ...content, job: { ...job, values: [] } } }],
    ["it has `options`", { v: 3, input, content: { ...content, job: { ...job, options: {} } } }],
    ["`index` is not a whole number", { v: 3, input, content: { job } }],
    ["`index` is not a whole number", { v: 3, input, content: { job, index: -1 } }],
    ["`index` is not a whole number", { v: 3, input, content: { job, index: "1" } }],
    ["`key` is not a string", { v: 3, input, content: { ...content, key: 1 } }],
    ["`key` is not a string", { v: 3, input, content: { ...content, key: "" } }],
  ])("is rejected because %s: %j", async (why, data) => {
    await expect(plain.decode(run, id, data)).rejects.toThrow(new Objection(why));
  });

  property(
    "is either valid or rejected with an objection, whatever Redis contains",
    (saw) =>
      fc.asyncProperty(storedData, async (data) => {
        const read = await plain.decode(run, id, data).catch((error) => error);
        if (read instanceof Objection) return saw("rejected");
        saw("valid");
        expect(Object.keys(read).sort()).toEqual(["content", "input", "isSealed"]);
        expect(read.isSealed).toBe(false);
        expect(read.input).toBeTypeOf("string");
        const { job, index, key = "E-1", ...others } = read.content;
        expect(others).toEqual({});
        expect(job.options).toBeUndefined();
        expect(job.template).toMatch(/^(?!\.{1,2}$)./);
        expect(Object.prototype.toString.call(job.values)).toBe("[object Object]");
        expect(index).toSatisfy((value) => Number.isSafeInteger(value) && value >= 0);
        expect(key).toMatch(/./s);
      }),
    { outcomes: ["valid", "rejected"] },
  );

  property("is rejected if the queue has a `sealKey`, whatever a job that is not sealed contains", () =>
    fc.asyncProperty(storedData, async (data) => {
      await expect(sealing.decode(run, id, data)).rejects.toThrow(Objection);
    }),
  );

  property("is rejected if any part of a sealed job was changed", () =>
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const stored = await storedBy(sealing);
      const bytes = Buffer.from(stored.sealed, "base64");
      const place = at % bytes.length;
      bytes[place] = (bytes[place] as number) ^ change;
      const changed = { ...stored, sealed: bytes.toString("base64") };
      await expect(sealing.decode(run, id, changed)).rejects.toThrow(foreign);
    }),
  );
});

describe("a `sealKey`", () => {
  const usages: KeyUsage[] = ["encrypt", "decrypt"];
  const importKey = (bytes: number, uses: KeyUsage[]) =>
    crypto.subtle.importKey("raw", new Uint8Array(bytes), "AES-GCM", false, uses);

  it.each<[why: string, key: () => unknown, message: RegExp]>([
    ["is too short", () => btoa("short"), /must be 32 bytes .* but is 5 bytes long/],
    ["is a password", () => "short", /^`sealKey` is not valid base64\./],
    ["has a character that base64 lacks", () => "x".repeat(43).concat("!"), /is not valid base64/],
    ["has 16 bytes", () => new Uint8Array(16), /but is 16 bytes long/],
    ["is empty", () => "", /but is 0 bytes long/],
    ["is null", () => null, /must be 32 bytes, their base64 encoding, or an AES-GCM `CryptoKey`/],
    ["is another object", () => ({ type: "secret" }), /or an AES-GCM `CryptoKey` with 256 bits/],
    ["is an AES-128 key", () => importKey(16, usages), /with 256 bits that can encrypt and decrypt/],
    ["cannot decrypt", () => importKey(32, ["encrypt"]), /that can encrypt and decrypt/],
  ])("is rejected when the queue is created if it %s", async (_why, key, message) => {
    const given = (await key()) as SealKey;
    expect(() => codecWith({ sealKey: given })).toThrow(message);
  });
});

describe("a digest of a queued job", () => {
  const kinds = ["key", "input", "place", "format"] as const;

  it("depends on the queue, the run, the kind and the text", async () => {
    const digests = [
      sealing.digestOf(run, "key", "a"),
      sealing.digestOf(run, "key", "b"),
      sealing.digestOf(run, "place", "a"),
      sealing.digestOf({ ...run, name: "other" }, "key", "a"),
      sealing.digestOf({ ...run, id: "ba9876543210" }, "key", "a"),
      (await openCodecWith({ sealKey, name: "other" })).digestOf(run, "key", "a"),
      (await openCodecWith({ sealKey, prefix: "other" })).digestOf(run, "key", "a"),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(sealing.digestOf(run, "key", "a")).toBe(digests[0]);
    expect(digests.join("")).toMatch(/^[\w-]{140}$/);
  });

  it.each(kinds)("of kind %s needs the key if jobs are sealed", async (kind) => {
    const sealed = sealing.digestOf(run, kind, "3081.00");
    const other = (await openCodecWith({ sealKey: new Uint8Array(32) })).digestOf(run, kind, "3081.00");
    const withoutKey = plain.digestOf(run, kind, "3081.00");
    expect(new Set([sealed, other, withoutKey]).size).toBe(3);
  });
});

describe("a run", async () => {
  const migrating = await openCodecWith({ sealKey, acceptUnsealed: true });
  it.each<
    [
      title: string,
      row: { readonly reader: JobCodec; readonly writer: JobCodec; readonly objection: RegExp | undefined },
    ]
  >([
    ["that has no key and no key is passed", { reader: plain, writer: plain, objection: undefined }],
    ["that is sealed with the same key", { reader: sealing, writer: sealing, objection: undefined }],
    [
      "that is sealed, and no key is passed",
      {
        reader: plain,
        writer: sealing,
        objection: /^is sealed\. Set `sealKey` to the key that it was added with$/,
      },
    ],
    [
      "that is sealed with another key",
      {
        reader: await openCodecWith({ sealKey: new Uint8Array(32) }),
        writer: sealing,
        objection: /different key/,
      },
    ],
    [
      "of a queue with another name",
      {
        reader: await openCodecWith({ sealKey, name: "x" }),
        writer: sealing,
        objection: /different key, or was renamed/,
      },
    ],
    [
      "that has no key",
      {
        reader: sealing,
        writer: plain,
        objection: /^was added without a `sealKey`\. Set `acceptUnsealed: true`/,
      },
    ],
    [
      "that has no key, and unsealed runs are accepted",
      { reader: migrating, writer: plain, objection: undefined },
    ],
  ])("%s can be read unless there is an objection", (_title, { reader, writer, objection }) => {
    const found = reader.objectionTo(run, writer.formatOf(run));
    if (objection === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(objection);
  });

  it("of another version cannot be read", () => {
    expect(plain.objectionTo(run, "1")).toMatch(/different version .* \(format 1, expected 3\)/);
    expect(sealing.objectionTo(run, "4-abc")).toMatch(/\(format 4, expected 3\)/);
    expect(sealing.objectionTo(run, "")).toMatch(/\(format 0, expected 3\)/);
  });
});

it("the ID of a job that another program added is recognised", () => {
  expect(splitId(id)).toEqual({ runId: run.id, digest: "d".repeat(20) });
  for (const foreign of ["1", "", `${run.id}-short`, `${run.id}`, `${id}-x`, `x${id}`, `repeat:${id}`]) {
    expect(splitId(foreign), foreign).toBeUndefined();
  }
});
