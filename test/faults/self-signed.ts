import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A key and the certificate that vouches for itself: nobody else does. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

/** Issues a certificate of version 1 (RFC 5280, 4.1) for this machine, by hand: Node's crypto issues none. */
export function selfSigned(days: { readonly from: number; readonly to: number }): Identity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = der(0x30, der(0x06, Buffer.from("2a8648ce3d040302", "hex")));
  const commonName = der(0x30, der(0x06, Buffer.from("550403", "hex")), der(0x0c, Buffer.from("127.0.0.1")));
  const name = der(0x30, der(0x31, commonName));
  const signed = der(
    0x30,
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    der(0x30, time(days.from), time(days.to)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", signed, privateKey);
  const whole = der(0x30, signed, ecdsaWithSha256, der(0x03, Buffer.of(0), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value of DER: a tag, a length, and what is in it (ITU-T X.690, 8.1). */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** A GeneralizedTime, so many days from now. */
function time(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(text));
}
