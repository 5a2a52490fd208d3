import { canonicalText } from "../bulk/canonical-text.ts";
import type { Job } from "../bulk/index.ts";
import { ConfigurationError } from "../index.ts";
import { QueueError } from "./queue-error.ts";

/** The version of {@link QueuedData}. Workers reject other versions. */
const version = 1;

/** The data of a waiting job in Redis, in plain text or encrypted. */
export type QueuedData =
  | { readonly v: number; readonly content: QueuedContent }
  | { readonly v: number; readonly sealed: string };

/** The content of a queued job. */
export interface QueuedContent {
  /** Here the template is always a uid: its schema, if any, has already checked the values. */
  readonly job: Job & { readonly template: string };
  /** The index of the job in its call to `add`, starting at 0. */
  readonly index: number;
  /** The key of the job, if any. */
  readonly key?: string;
}

/** A `CryptoKey`, for projects whose TypeScript settings do not include that type. */
export interface WebCryptoKey {
  /** The algorithm: AES-GCM. */
  readonly algorithm: object;
  /** `"secret"`. */
  readonly type: string;
}

/** The key that encrypts jobs: 32 bytes, their base64 encoding, or a Web Crypto AES-GCM key. */
export type SealKey = Uint8Array | string | WebCryptoKey;

const algorithm = "AES-GCM";
const ivLength = 12;

/**
 * Encodes jobs for Redis and decodes them. Encrypts the jobs if the codec has a key (AES-256-GCM, NIST SP
 * 800-38D).
 */
export class JobCodec {
  readonly #key: Promise<CryptoKey> | undefined;

  /** @throws {ConfigurationError} if the key is not 32 bytes long */
  constructor(sealKey: SealKey | undefined) {
    if (sealKey === undefined) return;
    this.#key = importKey(sealKey);
    // The first use of the key reports the error.
    this.#key.catch(() => {});
  }

  /** Whether jobs are encrypted. */
  get isSealing(): boolean {
    return this.#key !== undefined;
  }

  /** @param id - the job ID. An encrypted job can be decrypted only under this ID */
  async encode(id: string, content: QueuedContent): Promise<QueuedData> {
    const key = await this.#key;
    if (key === undefined) return { v: version, content };
    const iv = crypto.getRandomValues(new Uint8Array(ivLength));
    const text = new TextEncoder().encode(JSON.stringify(content));
    const sealed = await crypto.subtle.encrypt(parametersOf(iv, id), key, text);
    return { v: version, sealed: toBase64(new Uint8Array([...iv, ...new Uint8Array(sealed)])) };
  }

  /** @throws {QueueError} if the job was written by a different version or encrypted with a different key */
  async decode(id: string, data: QueuedData): Promise<QueuedContent> {
    if (data?.v !== version) {
      throw new QueueError(
        `The queue contains a job from a different version of template-pdf (format ${Number(data?.v)}, expected ${version}). Use workers that run the version that added it; the job stays in the queue.`,
      );
    }
    if ("content" in data) return data.content;
    const key = await this.#key;
    if (key === undefined) {
      throw new QueueError(
        "The queue contains a sealed job. Pass `sealKey` to bulkQueue; the job stays in the queue.",
      );
    }
    const bytes = fromBase64(data.sealed);
    try {
      const iv = bytes.subarray(0, ivLength);
      const text = await crypto.subtle.decrypt(parametersOf(iv, id), key, bytes.subarray(ivLength));
      return JSON.parse(new TextDecoder().decode(text));
    } catch (cause) {
      throw new QueueError(
        "The queue contains a job that was changed, or was sealed with a different key. Use the same `sealKey` on all machines; the job stays in the queue.",
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
      `\`sealKey\` must be 32 bytes or their base64 encoding, but is ${bytes.length} bytes long. Create a key with openssl rand -base64 32.`,
    );
  }
  return crypto.subtle.importKey("raw", new Uint8Array(bytes), algorithm, false, ["encrypt", "decrypt"]);
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Returns no bytes for invalid base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Returns a digest of a key or input, salted with the run id, so that Redis contains no keys of finished jobs. */
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

/** Returns a canonical serialization of a template and its values. */
export function inputText({ template, values }: QueuedContent["job"]): string {
  return canonicalText(template, values) as string;
}

/** Splits the id of a job. The id of its run contains no `-`. */
export function splitId(id: string): [runId: string, digest: string] {
  const at = id.indexOf("-");
  return [id.slice(0, at), id.slice(at + 1)];
}
