import type { IncomingMessage, RequestListener } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { nodeListener } from "template-pdf/handler/node";
import { describe, expect, it, vi } from "vitest";
import { beginning, turns } from "../support/service.ts";
import { later } from "../support/sockets.ts";
import { callOf, handlerBefore, handlerOf, pdf, untouchedClient } from "./handling.ts";
import { callBytes, exchange, send, serve, watchConsole } from "./raw-calls.ts";

const printed = watchConsole();

/** The ways in which a caller disconnects. */
const disconnections: Readonly<Record<string, (socket: Socket) => unknown>> = {
  "half-closes the connection": (socket) => socket.end(),
  "closes the connection": (socket) => socket.destroy(),
  "resets the connection": (socket) => socket.resetAndDestroy(),
};

const bodies: Readonly<Record<string, string>> = {
  "before the body": callBytes({ body: "", length: 2 }),
  "in the middle of the body": callBytes({ body: "{", length: 2 }),
  "after the body": callBytes(),
  "before `100 Continue`": callBytes({ body: "", length: 2, headers: "\r\nexpect: 100-continue" }),
  "in the middle of a chunked body": callBytes({ chunks: "1\r\n{" }),
};

/** Calls an asynchronous function that waits, and lets it continue after the caller has disconnected. */
function gate() {
  const reached = later<void>();
  const opened = later<void>();
  const wait = async (): Promise<void> => {
    reached.resolve();
    await opened.promise;
  };
  return { wait, reached: reached.promise, open: () => opened.resolve() };
}

/** Resolves when the handler has responded to its first call. */
function responding(handler: (request: Request) => Promise<Response>) {
  const responded = later<Response>();
  const watching = async (request: Request): Promise<Response> => {
    const response = await handler(request);
    responded.resolve(response);
    return response;
  };
  return { watching, responded: responded.promise };
}

describe("a caller that disconnects", () => {
  const moments = Object.keys(bodies).flatMap((when) =>
    Object.keys(disconnections).map((how) => [how, when] as const),
  );

  it.each(moments)("is not reported if it %s %s, while `authorize` runs", async (how, when) => {
    const { wait, reached, open } = gate();
    const authorize = async (request: Request) => {
      await wait();
      // Node notices the disconnection only after it has read from the socket.
      if (!request.signal.aborted)
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      return true;
    };
    const { handler, onError } = handlerOf({ client: untouchedClient(), authorize });
    const { watching, responded } = responding(handler);
    const port = await serve(nodeListener(watching));
    const socket = await send(port, bodies[when] ?? "");
    await reached;
    disconnections[how]?.(socket);
    open();
    expect((await responded).status).toBeLessThan(500);
    expect({ reported: onError.mock.calls, printed: printed.mock.calls }).toEqual({
      reported: [],
      printed: [],
    });
  });

  it.each(["authorize", "values", "filename"])(
    "is not reported if `%s` fails for that reason",
    async (name) => {
      const failing = (request: Request) =>
        new Promise((_, reject) => {
          request.signal.addEventListener("abort", () => reject(new Error("The session store was left.")));
          socket?.destroy();
        });
      const { handler, onError } = await handlerBefore(undefined, { [name]: failing });
      const { watching, responded } = responding(handler);
      const socket = await send(await serve(nodeListener(watching)), callBytes());
      expect((await responded).status).toBe(499);
      expect({ reported: onError.mock.calls, printed: printed.mock.calls }).toEqual({
        reported: [],
        printed: [],
      });
    },
  );

  it("is not reported if the context cannot be read for that reason", async () => {
    const { handler } = handlerOf({ client: untouchedClient() });
    const failed = later<void>();
    const contextOf = (incoming: IncomingMessage) =>
      new Promise((_, reject) => {
        incoming.once("close", () => {
          reject(new Error("The request was closed."));
          setImmediate(failed.resolve);
        });
        socket?.destroy();
      });
    const socket = await send(await serve(nodeListener(handler, contextOf)), callBytes({ length: 3 }));
    await failed.promise;
    expect(printed).not.toHaveBeenCalled();
  });

  it("is not reported if it disconnects while a middleware runs", async () => {
    const { handler, onError } = handlerOf({ client: untouchedClient() });
    const handled = vi.fn(handler);
    const listener = nodeListener(handled);
    const left = later<void>();
    const port = await serve((incoming, outgoing) => {
      outgoing.once("close", () => {
        listener(incoming, outgoing);
        setImmediate(left.resolve);
      });
    });
    (await send(port, callBytes({ body: "{", length: 2 }))).destroy();
    await left.promise;
    const calls = { handled: handled.mock.calls, reported: onError.mock.calls, printed: printed.mock.calls };
    expect(calls).toEqual({ handled: [], reported: [], printed: [] });
  });

  describe("before the first part of the document is sent", () => {
    const firstPart = pdf.subarray(0, 20_000);

    /** Serves a listener, calls it, and disconnects after the handler has responded. */
    async function disconnectAfterResponse(
      handler: (request: Request) => Promise<Response>,
      listenerOf: (handler: (request: Request) => Promise<Response>) => RequestListener,
    ): Promise<void> {
      let connection: Socket | undefined;
      const listener = listenerOf(async (request) => {
        const response = await handler(request);
        // The adapter has read the first part by then, and waits for another.
        process.nextTick(() => connection?.destroy());
        return response;
      });
      const port = await serve((incoming, outgoing) => {
        connection = incoming.socket;
        return listener(incoming, outgoing);
      });
      await send(port, callBytes());
    }

    it("is not printed by nodeListener()", async () => {
      const { handler, service, onError } = await handlerBefore(beginning(firstPart));
      await disconnectAfterResponse(handler, (handling) => nodeListener(handling));
      await (await service.request()).closed;
      await turns(20);
      expect(printed).not.toHaveBeenCalled();
      expect(onError).not.toHaveBeenCalled();
    });

    it("ends the body without an error behind nodeListener(), even if nothing cancels the body", async () => {
      const { handler } = await handlerBefore(beginning(firstPart));
      const responded = later<Response>();
      const hidesBody = async (request: Request) => {
        responded.resolve(await handler(request));
        // The adapter can cancel only this body, not the one of the handler.
        return new Response(new ReadableStream());
      };
      await disconnectAfterResponse(hidesBody, (handling) => nodeListener(handling));
      const body = await (await responded.promise).arrayBuffer();
      expect(body.byteLength).toBeLessThanOrEqual(firstPart.length);
    });

    it("is not printed by an adapter that cancels the body, such as the one of Hono", async () => {
      const { handler, service, onError } = await handlerBefore(beginning(firstPart));
      const adapting = { overrideGlobalObjects: false };
      await disconnectAfterResponse(handler, (handling) => getRequestListener(handling, adapting));
      await (await service.request()).closed;
      await turns(20);
      expect(printed).not.toHaveBeenCalled();
      expect(onError).not.toHaveBeenCalled();
    });
  });

  it("is not reported in a web runtime, which aborts the signal of the request", async () => {
    for (const name of ["authorize", "values", "filename"]) {
      const leaving = new AbortController();
      const failing = () => {
        leaving.abort();
        throw new Error("left");
      };
      const { handler, onError } = await handlerBefore(undefined, { [name]: failing });
      expect((await handler(callOf({ signal: leaving.signal }))).status).toBe(499);
      expect((await handler(callOf({ signal: AbortSignal.abort() }))).status).toBe(499);
      expect(onError).not.toHaveBeenCalled();
    }
  });

  it("does not hide that `authorize` has read the body", async () => {
    const authorize = async (request: Request) => (await request.text()) === "{}";
    const { handler, onError } = handlerOf({ client: untouchedClient(), authorize });
    const port = await serve(nodeListener(handler));
    expect(await exchange(port, callBytes())).toMatch(/^HTTP\/1\.1 500 /);
    const advice = "and do not read the body in `authorize`";
    expect(onError.mock.calls[0]?.[0].message).toContain(advice);
  });
});
