import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { ConfigurationError } from "../index.ts";

/** A `CryptoKey`, for projects whose TypeScript settings do not include that type. */
export interface WebCryptoKey {
  /** The algorithm: AES-GCM with 256 bits. */
  readonly algorithm: object;
  /** `"secret"`. */
  readonly type: string;
  /** What the key may be used for: at least `"encrypt"` and `"decrypt"`. */
  readonly usages: readonly string[];
}

/** The key that encrypts jobs: 32 bytes, their base64 encoding, or a Web Crypto AES-GCM key. */
export type SealKey = Uint8Array | string | WebCryptoKey;

const algorithm = "AES-GCM";
const keyBytes = 32;

/** The length of an AES-GCM nonce (NIST SP 800-38D, 8.2). */
const nonceBytes = 12;

/** What the user's key encrypts to derive the key for digests. Sealed texts have random nonces. */
const derivation = { nonce: "template-pdf", info: "digests of queued jobs" };

interface Keys {
  readonly encryption: CryptoKey;
  readonly digests: Uint8Array;
}

/**
 * Encrypts texts with AES-256-GCM (NIST SP 800-38D), and computes digests that require the key (HMAC-SHA-256,
 * RFC 2104).
 */
export class Seal {
  readonly #keys: Promise<Keys>;
  #digestKey: Uint8Array | undefined;

  /** @throws {ConfigurationError} if the key is not an AES-256-GCM key or 32 bytes */
  constructor(sealKey: SealKey) {
    const given = checkKey(sealKey);
    this.#keys = loadKeys(given);
    // The first use of the keys reports the error.
    this.#keys.catch(() => {});
  }

  /** Loads the keys, which {@link digest} requires. */
  async open(): Promise<void> {
    this.#digestKey = (await this.#keys).digests;
  }

  /** @param context - what the text belongs to. It can be decrypted only with the same context */
  async encrypt(text: string, context: string): Promise<string> {
    const { encryption } = await this.#keys;
    const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const sealed = await crypto.subtle.encrypt(parametersOf(nonce, context), encryption, bytesOf(text));
    return Buffer.concat([nonce, new Uint8Array(sealed)]).toString("base64");
  }

  /** @throws if the text was changed, or was encrypted with another key or context */
  async decrypt(sealed: string, context: string): Promise<string> {
    const { encryption } = await this.#keys;
    const bytes = new Uint8Array(Buffer.from(sealed, "base64"));
    const parameters = parametersOf(bytes.subarray(0, nonceBytes), context);
    const text = await crypto.subtle.decrypt(parameters, encryption, bytes.subarray(nonceBytes));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  }

  /** Returns 32 bytes. Without the key, a guess of the text cannot be checked. */
  digest(text: string): Buffer {
    return createHmac("sha256", this.#digestKey as Uint8Array)
      .update(text)
      .digest();
  }
}

function checkKey(sealKey: SealKey): Uint8Array | CryptoKey {
  if (isCryptoKey(sealKey)) return sealKey;
  const bytes = typeof sealKey === "string" ? fromBase64(sealKey) : sealKey;
  if (bytes === undefined) {
    throw new ConfigurationError("`sealKey` is not valid base64. Create a key with openssl rand -base64 32.");
  }
  if (!(bytes instanceof Uint8Array)) {
    throw new ConfigurationError(
      "`sealKey` must be 32 bytes, their base64 encoding, or an AES-GCM `CryptoKey` with 256 bits that can encrypt and decrypt. Create a key with openssl rand -base64 32.",
    );
  }
  if (bytes.length !== keyBytes) {
    throw new ConfigurationError(
      `\`sealKey\` must be ${keyBytes} bytes or their base64 encoding, but is ${bytes.length} bytes long. Create a key with openssl rand -base64 32.`,
    );
  }
  return bytes;
}

function isCryptoKey(sealKey: SealKey): sealKey is CryptoKey {
  const { algorithm: own, usages } = Object(sealKey) as Partial<CryptoKey>;
  const { name, length } = Object(own) as Partial<AesKeyAlgorithm>;
  const canSeal = Array.isArray(usages) && usages.includes("encrypt") && usages.includes("decrypt");
  return name === algorithm && length === keyBytes * 8 && canSeal;
}

/**
 * Derives the key for digests with HKDF (RFC 5869). A Web Crypto key may not be extractable, so the derivation
 * starts from what the key encrypts, which is as secret as the key, and the same for every form of a key.
 */
async function loadKeys(given: Uint8Array | CryptoKey): Promise<Keys> {
  const { subtle } = crypto;
  const encryption =
    given instanceof Uint8Array
      ? await subtle.importKey("raw", new Uint8Array(given), algorithm, false, ["encrypt", "decrypt"])
      : given;
  const parameters = { name: algorithm, iv: bytesOf(derivation.nonce) };
  const secret = await subtle.encrypt(parameters, encryption, new Uint8Array(keyBytes));
  const base = await subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: bytesOf(derivation.info) };
  const digests = new Uint8Array(await subtle.deriveBits(hkdf, base, keyBytes * 8));
  return { encryption, digests };
}

function parametersOf(iv: Uint8Array<ArrayBuffer>, context: string): AesGcmParams {
  return { name: algorithm, iv, additionalData: bytesOf(context) };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Returns nothing for invalid base64, which Node's own decoder would read in part. */
function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
