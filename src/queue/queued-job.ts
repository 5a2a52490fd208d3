import { canonicalText } from "../bulk/canonical-text.ts";
import type { Job } from "../bulk/index.ts";
import { ConfigurationError } from "../index.ts";
import { QueueError } from "./queue-error.ts";

/** The version of {@link QueuedData}. A worker refuses other versions. */
const version = 1;

/** What Redis holds of a job while it waits: readable, or sealed. */
export type QueuedData =
  | { readonly v: number; readonly content: QueuedContent }
  | { readonly v: number; readonly sealed: string };

/** A job as it travels. */
export interface QueuedContent {
  /** The job's template is a uid here: a schema has checked the values already. */
  readonly job: Job & { readonly template: string };
  /** The job's place among the jobs of its `add`, from 0. */
  readonly index: number;
  /** The key that `add` was given for it. */
  readonly key?: string;
}

/** A `CryptoKey`, which not every compiler knows by its name. */
export interface WebCryptoKey {
  /** What it encrypts with: AES-GCM. */
  readonly algorithm: object;
  /** `"secret"`. */
  readonly type: string;
}

/** A secret with which jobs are sealed: 32 bytes, their base64, or an AES-GCM key of Web Crypto. */
export type SealKey = Uint8Array | string | WebCryptoKey;

const algorithm = "AES-GCM";
const ivLength = 12;

/** Writes jobs for Redis and reads them; seals them if it has a key (AES-256-GCM, NIST SP 800-38D). */
export class JobCodec {
  readonly #key: Promise<CryptoKey> | undefined;

  /** @throws {ConfigurationError} if the key is not 32 bytes long */
  constructor(sealKey: SealKey | undefined) {
    if (sealKey === undefined) return;
    this.#key = importKey(sealKey);
    // Whoever uses the key first reports it.
    this.#key.catch(() => {});
  }

  /** Whether jobs are sealed. */
  get isSealing(): boolean {
    return this.#key !== undefined;
  }

  /** @param id - the job's id, which a sealed job is bound to */
  async encode(id: string, content: QueuedContent): Promise<QueuedData> {
    const key = await this.#key;
    if (key === undefined) return { v: version, content };
    const iv = crypto.getRandomValues(new Uint8Array(ivLength));
    const text = new TextEncoder().encode(JSON.stringify(content));
    const sealed = await crypto.subtle.encrypt(parametersOf(iv, id), key, text);
    return { v: version, sealed: toBase64(new Uint8Array([...iv, ...new Uint8Array(sealed)])) };
  }

  /** @throws {QueueError} if the job is of another version, or sealed with another key */
  async decode(id: string, data: QueuedData): Promise<QueuedContent> {
    if (data?.v !== version) {
      throw new QueueError(
        `The queue holds a job of another version of template-pdf (format ${Number(data?.v)}, this is ${version}). Run workers of the version that added it. The job stays in the queue.`,
      );
    }
    if ("content" in data) return data.content;
    const key = await this.#key;
    if (key === undefined) {
      throw new QueueError(
        "The queue holds a sealed job. Give `sealKey` to bulkQueue. The job stays in the queue.",
      );
    }
    const bytes = fromBase64(data.sealed);
    try {
      const iv = bytes.subarray(0, ivLength);
      const text = await crypto.subtle.decrypt(parametersOf(iv, id), key, bytes.subarray(ivLength));
      return JSON.parse(new TextDecoder().decode(text));
    } catch (cause) {
      throw new QueueError(
        "The queue holds a job that was sealed with another key, or was changed. Give the same `sealKey` to bulkQueue everywhere. The job stays in the queue.",
        { cause },
      );
    }
  }
}

function parametersOf(iv: Uint8Array<ArrayBuffer>, id: string): AesGcmParams {
  return { name: algorithm, iv, additionalData: new TextEncoder().encode(id) };
}

async function importKey(sealKey: SealKey): Promise<CryptoKey> {
  const bytes = typeof sealKey === "string" ? fromBase64(sealKey) : sealKey;
  if (!(bytes instanceof Uint8Array)) return bytes as CryptoKey;
  if (bytes.length !== 32) {
    throw new ConfigurationError(
      `\`sealKey\` has ${bytes.length} bytes, and has to have 32, or their base64. Create one with openssl rand -base64 32.`,
    );
  }
  return crypto.subtle.importKey("raw", new Uint8Array(bytes), algorithm, false, ["encrypt", "decrypt"]);
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** What is not base64 has no bytes. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Digests of a run's keys and inputs, salted with the run's id: Redis holds no key of a finished job. */
export async function digestOf(
  runId: string,
  what: "key" | "input" | "place",
  text: string,
): Promise<string> {
  const bytes = new TextEncoder().encode(`${runId}\n${what}\n${text}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const length = what === "input" ? 9 : 15;
  return toBase64(digest.subarray(0, length)).replaceAll("+", "-").replaceAll("/", "_");
}

/** The text that is the same for the same template and values. */
export function inputText({ template, values }: QueuedContent["job"]): string {
  return canonicalText(template, values) as string;
}

/** Splits a job's id; that of its run has no `-`. */
export function splitId(id: string): [runId: string, digest: string] {
  const at = id.indexOf("-");
  return [id.slice(0, at), id.slice(at + 1)];
}
