/** A socket as its HTTP parser uses it. */
interface ParsedSocket {
  read(size?: number): Buffer | null;
  write(...args: unknown[]): boolean;
}

/** As much as a head may have, by undici's own limit. */
const maxHeldBytes = 16 * 1024;

const start = "HTTP/1.1 1";
const firstDigit = start.charCodeAt(start.length - 1);

/** An interim answer, but not the change of the protocol that 101 is. */
const interim = /^HTTP\/1\.1 1(?!01)/;

/**
 * Takes interim answers out of what a socket reads (RFC 9110, 15.2: a client must be able to skip them, asked for
 * or not). Undici skips all but one, and hangs up at an unasked `100 Continue`, which older servers send.
 *
 * Only the bytes between a request and the beginning of its answer are looked at: undici writes a request in one
 * go, and reads nothing before.
 */
export function skipInterimAnswers<S>(socket: S & ParsedSocket): S {
  const { read, write } = socket;
  let isAwaiting = false;
  let held: Buffer | undefined;
  socket.write = function (...args) {
    isAwaiting = true;
    return write.apply(this, args);
  };
  socket.read = function (size) {
    for (;;) {
      const bytes = read.call(this, size);
      if (!isAwaiting || bytes === null) return bytes;
      const rest = afterInterim(held ? Buffer.concat([held, bytes]) : bytes);
      // One that does not end is left to undici, which refuses it.
      held = rest.isOpen && rest.bytes.length <= maxHeldBytes ? rest.bytes : undefined;
      if (held) continue;
      isAwaiting = false;
      return rest.bytes;
    }
  };
  return socket;
}

/** Whether it is no interim answer, as far as the first digit of its status tells: nearly every answer is none. */
function isFinal(bytes: Buffer): boolean {
  const digit = bytes[start.length - 1];
  return digit !== undefined && digit !== firstDigit;
}

/** What follows the interim answers; `isOpen` where it may still be the beginning of one. */
function afterInterim(bytes: Buffer): { readonly bytes: Buffer; readonly isOpen: boolean } {
  let rest = bytes;
  for (;;) {
    if (isFinal(rest)) return { bytes: rest, isOpen: false };
    const line = rest.toString("latin1", 0, start.length + 2);
    if (line.length < start.length + 2)
      return { bytes: rest, isOpen: start.startsWith(line.slice(0, start.length)) };
    if (!interim.test(line)) return { bytes: rest, isOpen: false };
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) return { bytes: rest, isOpen: true };
    rest = rest.subarray(end + 4);
  }
}
