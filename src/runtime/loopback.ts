/**
 * Whether a URL's host name means this very machine: `localhost` and below it (RFC 6761, 6.3),
 * 127.0.0.0/8 (RFC 1122, 3.2.1.3) and `::1` (RFC 4291, 2.5.3).
 *
 * @param hostname - as `URL.hostname` gives it: lower case, IPv6 in brackets
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
