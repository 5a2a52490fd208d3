const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum;
});

/** The CRC-32 of some bytes. For a line of the journal this is quicker than the call to zlib's. */
export function checksum(bytes: Uint8Array, from = 0, to = bytes.length): number {
  let sum = -1;
  for (let at = from; at < to; at++) {
    sum = (table[(sum ^ (bytes[at] as number)) & 255] as number) ^ (sum >>> 8);
  }
  return ~sum >>> 0;
}

/** A checksum as it is written: eight hexadecimal digits. */
export function checksumText(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
