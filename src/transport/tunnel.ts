import type { Dispatcher } from "undici";

/** The proxy failed, not the service behind it. Its address is told without the credentials in it. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  readonly code = "PROXY_FAILED";
  /** The status it answered, where it did. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}

type Connect = (params: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData>;

/**
 * Gives the pool of a proxy's own connections the method that a proxy agent asks for tunnels.
 *
 * Left to itself, undici takes a proxy that hangs up for a service that does: it asks again at once, without a
 * pause and without an end, a thousand times a second, also when nobody waits any more. An error of our own ends
 * that, and names the proxy.
 */
export function asking(pool: Dispatcher, connect: Dispatcher["connect"], proxy: URL): Dispatcher {
  const ask = connect.bind(pool) as Connect;
  return Object.assign(pool, { connect: (params: Dispatcher.ConnectOptions) => tunnel(ask, params, proxy) });
}

async function tunnel(
  ask: Connect,
  params: Dispatcher.ConnectOptions,
  { origin }: URL,
): Promise<Dispatcher.ConnectData> {
  const answer = await ask(params).catch((cause: unknown) => {
    throw new ProxyFailure(`the proxy at ${origin} failed: ${messageOf(cause)}`, { cause });
  });
  const { statusCode: status, socket } = answer;
  // Any success opens the tunnel (RFC 9110, 9.3.6); undici takes 200 alone.
  if (status >= 200 && status < 300) return { ...answer, statusCode: 200 };
  socket.on("error", () => {}).destroy();
  throw new ProxyFailure(`the proxy at ${origin} answered ${status}`, { status });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
