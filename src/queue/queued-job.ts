import { createHash } from "node:crypto";
import { canonicalText } from "../bulk/canonical-text.ts";
import { kindOfFailure } from "../bulk/failure-groups.ts";
import type { Job } from "../bulk/index.ts";
import { describeKind } from "../errors/value-kinds.ts";
import { isJsonObject } from "../json/json-value.ts";
import { isUid } from "../request/endpoint.ts";
import { withoutPrototype } from "../runtime/own-options.ts";
import { Seal, type SealKey } from "./seal.ts";

/** The version of {@link QueuedData} and of the digests. Workers reject other versions. */
const version = 3;

/** The data of a waiting job in Redis, in plain text or encrypted. */
export type QueuedData = {
  readonly v: typeof version;
  /** The digest of the template and the values. */
  readonly input: string;
} & ({ readonly content: QueuedContent } | { readonly sealed: string });

/** The content of a queued job. */
export interface QueuedContent {
  /** Here the template is always a uid: its schema, if any, has already checked the values. */
  readonly job: Job & { readonly template: string };
  /** The index of the job in its call to `add`, starting at 0. */
  readonly index: number;
  /** The key of the job, if any. */
  readonly key?: string;
}

/** The name of a run, and its id in Redis. */
export interface RunReference {
  readonly name: string;
  readonly id: string;
}

/** A job that was read from Redis. */
export interface ReadJob {
  readonly content: QueuedContent;
  readonly input: string;
  readonly isSealed: boolean;
}

/** A failure, as it is stored for a run. */
export interface StoredFailure {
  readonly code: string;
  readonly message: string;
  readonly index: number | undefined;
  readonly key: string | undefined;
  readonly atMs: number;
}

/** The queue whose jobs a codec encodes. */
interface CodecSettings {
  readonly prefix?: string | undefined;
  readonly name: string;
  readonly sealKey?: SealKey | undefined;
  readonly acceptUnsealed?: boolean | undefined;
}

/** Encodes jobs for Redis and decodes them, and computes the digests that identify them. */
export class JobCodec {
  readonly #queue: readonly string[];
  readonly #seal: Seal | undefined;
  readonly #acceptsUnsealed: boolean;

  /** @throws {ConfigurationError} if the key is invalid */
  constructor({ prefix = "bull", name, sealKey, acceptUnsealed = false }: CodecSettings) {
    this.#queue = [prefix, name];
    this.#seal = sealKey === undefined ? undefined : new Seal(sealKey);
    this.#acceptsUnsealed = this.#seal === undefined || acceptUnsealed;
  }

  /** Whether jobs are encrypted. */
  get isSealing(): boolean {
    return this.#seal !== undefined;
  }

  /** Loads the key, if any. Everything else requires it. */
  async open(): Promise<void> {
    await this.#seal?.open();
  }

  /**
   * Returns the format of a run's jobs: the version, and for sealed jobs a digest that only the same key, queue
   * and run have.
   */
  formatOf(run: RunReference, isSealed = this.isSealing): string {
    return isSealed ? `${version}-${this.digestOf(run, "format", "", true)}` : `${version}`;
  }

  /**
   * Returns a digest of a key, an input or a path, so that Redis does not contain them once a job is finished.
   * Without a key, anyone who reads Redis can still guess the text.
   */
  digestOf(
    run: RunReference,
    what: "key" | "input" | "place" | "format",
    text: string,
    isSealed = this.isSealing,
  ): string {
    const salted = JSON.stringify([...this.#queue, run.name, run.id, what, text]);
    const digest =
      isSealed && this.#seal ? this.#seal.digest(salted) : createHash("sha256").update(salted).digest();
    return digest.subarray(0, what === "input" ? 9 : 15).toString("base64url");
  }

  /** @param input - the digest of the template and the values */
  async encode(run: RunReference, id: string, input: string, content: QueuedContent): Promise<QueuedData> {
    if (this.#seal === undefined) return { v: version, input, content };
    const sealed = await this.#seal.encrypt(JSON.stringify(content), this.#contextOf(run, id, input));
    return { v: version, input, sealed };
  }

  /** @throws {Objection} unless the data is what `add` wrote for this job with the same key */
  async decode(run: RunReference, id: string, data: unknown): Promise<ReadJob> {
    const { v, input, content, sealed, ...others } = recordOf(data, "its data");
    expect(v === version, `its format is not ${version}`);
    expect(typeof input === "string", "`input` is not a string");
    expectNoOthers(others, "its data");
    if (sealed === undefined) {
      expect(this.#acceptsUnsealed, "it is not sealed, but this queue has a `sealKey`");
      return { content: contentOf(content), input, isSealed: false };
    }
    expect(typeof sealed === "string" && content === undefined, "`sealed` is not its only content");
    expect(this.#seal !== undefined, "it is sealed, but this queue has no `sealKey`");
    const text = await this.#seal.decrypt(sealed, this.#contextOf(run, id, input)).catch(() => {
      throw new Objection("it was changed, or belongs to another job, run, queue or `sealKey`");
    });
    return { content: contentOf(parse(text)), input, isSealed: true };
  }

  /**
   * Encodes a failure. It is kept after the values of the job are deleted.
   *
   * @param content - the content of the job; nothing if it cannot be read
   * @returns a text that begins with `u` if the job cannot be read, and with `r` otherwise
   */
  async encodeFailure(
    run: RunReference,
    digest: string,
    content: QueuedContent | undefined,
    error: unknown,
  ): Promise<string> {
    const { code, message } = kindOfFailure(error);
    const { index, key } = content ?? {};
    const text = JSON.stringify({ code, message, index, key, atMs: Date.now() });
    const kind = content ? "r" : "u";
    if (this.#seal === undefined) return kind + text;
    return `${kind}:${await this.#seal.encrypt(text, this.#contextOf(run, digest, "failure"))}`;
  }

  /** Decodes a failure. A failure that was changed says so. */
  async decodeFailure(run: RunReference, digest: string, failure: string): Promise<StoredFailure> {
    const isSealed = failure.charAt(1) === ":";
    const sealed = () => this.#seal?.decrypt(failure.slice(2), this.#contextOf(run, digest, "failure"));
    const text = isSealed ? await Promise.resolve(sealed()).catch(() => undefined) : failure.slice(1);
    const known = parse(text ?? "") as Partial<StoredFailure> | undefined;
    const { code = "unknown", message = "The failure cannot be read.", index, key, atMs = 0 } = known ?? {};
    return { code: String(code), message: String(message), index, key, atMs };
  }

  /**
   * Explains why this queue cannot read the jobs of a run, or returns `undefined` if it can.
   *
   * @param format - the format of the run in Redis
   */
  objectionTo(run: RunReference, format: string): string | undefined {
    if (format === this.formatOf(run)) return undefined;
    const [itsVersion, seal] = format.split("-", 2);
    if (itsVersion !== `${version}`) {
      return `was added by a different version of template-pdf (format ${Number(itsVersion)}, expected ${version}). Use the version that added it`;
    }
    if (seal !== undefined) {
      return this.#seal === undefined
        ? "is sealed. Set `sealKey` to the key that it was added with"
        : "is sealed with a different key, or was renamed. Use the same `sealKey` on all machines";
    }
    return this.#acceptsUnsealed
      ? undefined
      : "was added without a `sealKey`. Set `acceptUnsealed: true` until it is finished, or remove it and add its jobs again";
  }

  /** Whatever a sealed job must not be separated from. */
  #contextOf(run: RunReference, id: string, input: string): string {
    return JSON.stringify([version, ...this.#queue, run.name, run.id, id, input]);
  }
}

/** Why data is not a job. The message contains nothing of the data. */
export class Objection extends Error {}

/** @throws {Objection} unless the value is exactly what `add` writes */
function contentOf(value: unknown): QueuedContent {
  const { job, index, key, ...others } = recordOf(value, "its content");
  expectNoOthers(others, "its content");
  const { template, values, options } = recordOf(job, "`job`");
  expect(isUid(template), "`template` is not a uid");
  expect(isJsonObject(values), "`values` is not an object");
  // They could send the document elsewhere, or switch off its check.
  expect(options === undefined, "it has `options`");
  expect(Number.isSafeInteger(index) && (index as number) >= 0, "`index` is not a whole number");
  expect(key === undefined || (typeof key === "string" && key !== ""), "`key` is not a string");
  return value as QueuedContent;
}

/** Returns the own properties of an object. */
function recordOf(value: unknown, what: string): Record<string, unknown> {
  expect(isJsonObject(value), `${what} is ${describeKind(value)}`);
  return withoutPrototype(value);
}

function expectNoOthers(others: object, what: string): void {
  expect(Object.keys(others).length === 0, `${what} has unknown properties`);
}

function expect(isTrue: boolean, otherwise: string): asserts isTrue {
  if (!isTrue) throw new Objection(otherwise);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a canonical serialization of a template and its values. */
export function inputText({ template, values }: QueuedContent["job"]): string {
  return canonicalText(template, values) as string;
}

/** Matches the id of a job: the id of its run, and a digest. */
const jobIdPattern = /^([\da-f]{12})-([\w-]{20})$/;

/** Returns the id of a job in BullMQ. */
export function jobIdOf(runId: string, digest: string): string {
  return `${runId}-${digest}`;
}

/** Splits the id of a job. Returns `undefined` for the id of a job that another program added. */
export function splitId(id: string): { readonly runId: string; readonly digest: string } | undefined {
  const [, runId, digest] = jobIdPattern.exec(id) ?? [];
  return runId === undefined || digest === undefined ? undefined : { runId, digest };
}
