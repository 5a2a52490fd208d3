import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/**
 * Creates certificates on demand, so that nothing in the repository expires, no private key is in it, and no tool must be
 * installed. Writes X.509 v3 (RFC 5280, 4.1) in DER (X.690), only the parts that TLS requires.
 */

export interface Issued {
  /** The certificate, in PEM. */
  readonly cert: string;
  /** Its private key, in PEM. */
  readonly key: string;
}

/** A self-signed certificate authority. `cert` is the certificate that a client must trust. */
export interface Authority extends Issued {
  /** Issues a certificate for these names. */
  issue(names: readonly string[]): Issued;
}

const day = 24 * 60 * 60 * 1000;

/** The time this many days from now. */
export function inDays(days: number): Date {
  return new Date(Date.now() + days * day);
}

/** Creates a certificate authority that no client trusts yet. */
export function makeAuthority(name = "Authority of the tests", expires = inDays(2)): Authority {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const extensions = [extension("2.5.29.19", sequence(boolean(true)), "critical")];
  const cert = certificate({ issuer: name, subject: name, expires, publicKey, extensions }, privateKey);
  return {
    cert,
    key: pemOf(privateKey),
    issue(names) {
      const { publicKey, privateKey: own } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const [subject = "nobody"] = names;
      const extensions = [extension("2.5.29.17", sequence(...names.map(generalName)))];
      const content = { issuer: name, subject, expires: inDays(1), publicKey, extensions };
      return { cert: certificate(content, privateKey), key: pemOf(own) };
    },
  };
}

interface Content {
  readonly issuer: string;
  readonly subject: string;
  readonly expires: Date;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

function certificate(content: Content, by: KeyObject): string {
  const algorithm = sequence(objectId("1.2.840.10045.4.3.2")); // ecdsa-with-SHA256
  // Long before any expiry date that a test may use.
  const begins = new Date(Math.min(content.expires.getTime(), Date.now()) - 30 * day);
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // v3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    named(content.issuer),
    sequence(time(begins), time(content.expires)),
    named(content.subject),
    content.publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...content.extensions)),
  );
  const signature = bits(sign("sha256", toBeSigned, by));
  const base64 = sequence(toBeSigned, algorithm, signature).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
}

function pemOf(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}

function named(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId("2.5.4.3"), tagged(0x0c, Buffer.from(commonName)))));
}

/** A DNS name, or an IPv4 address. */
function generalName(name: string): Buffer {
  const isAddress = /^\d+(?:\.\d+){3}$/.test(name);
  return isAddress ? tagged(0x87, Buffer.from(name.split(".").map(Number))) : tagged(0x82, Buffer.from(name));
}

function extension(id: string, value: Buffer, critical?: "critical"): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), tagged(0x04, value));
}

function time(date: Date): Buffer {
  // UTCTime has only two digits for the year.
  const digits = date.toISOString().replace(/[-:T]|\..*/g, "");
  return tagged(0x17, Buffer.from(`${digits.slice(2)}Z`));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));
const bits = (bytes: Buffer): Buffer => tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]));

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const octets = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, 0x80 | octets.length, ...octets]), content]);
}
