// @ts-check
/**
 * @typedef {object} Cell
 * @property {"http" | "tls"} protocol
 * @property {number} bytes - of the document
 * @property {number} inFlight
 */

export const sizes = [2_000, 50_000, 1_000_000];

/** @type {readonly Cell[]} */
export const cells = /** @type {const} */ (["http", "tls"]).flatMap((protocol) =>
  [20, 1, 200].flatMap((inFlight) => sizes.map((bytes) => ({ protocol, bytes, inFlight }))),
);

/** @param {number} bytes */
export function sizeOf(bytes) {
  return bytes >= 1e6 ? `${bytes / 1e6} MB` : `${bytes / 1e3} kB`;
}

/** @param {Cell} cell - as `HTTP, 50 kB, 20 in flight` */
export function nameOf({ protocol, bytes, inFlight }) {
  return `${protocol.toUpperCase()}, ${sizeOf(bytes)}, ${inFlight} in flight`;
}
