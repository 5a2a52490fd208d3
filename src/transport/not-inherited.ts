/**
 * Options that undici and Node would otherwise take from `Object.prototype`, to which any code in the process may have added them:
 * where to connect, which certificates to trust, and what to send. Undici copies the objects that it receives, so that an object
 * without a prototype would not help; own properties stay in the copies.
 */
export const notInherited: { readonly [name: string]: undefined } = {
  // Where to connect.
  family: undefined,
  fd: undefined,
  handle: undefined,
  hints: undefined,
  localAddress: undefined,
  localPort: undefined,
  lookup: undefined,
  path: undefined,
  signal: undefined,
  socketPath: undefined,
  // Whom to trust, and how to encrypt.
  ca: undefined,
  cert: undefined,
  clientCertEngine: undefined,
  crl: undefined,
  key: undefined,
  maxVersion: undefined,
  minVersion: undefined,
  passphrase: undefined,
  pfx: undefined,
  privateKeyEngine: undefined,
  pskCallback: undefined,
  secureContext: undefined,
  secureProtocol: undefined,
  servername: undefined,
  session: undefined,
  tls: undefined,
  // How to use connections.
  allowH2: undefined,
  connections: undefined,
  factory: undefined,
  interceptors: undefined,
  maxOrigins: undefined,
  onread: undefined,
  // What to send to a proxy.
  auth: undefined,
  headers: undefined,
  password: undefined,
  proxyTunnel: undefined,
  token: undefined,
  username: undefined,
  // What to send.
  expectContinue: undefined,
  query: undefined,
  reset: undefined,
  responseHeaders: undefined,
  upgrade: undefined,
};
