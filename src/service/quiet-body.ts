/** The part of a response of `node:http` that ends its connection. */
interface Outgoing {
  destroy(error: Error): unknown;
}

/**
 * Passes a response on to the adapter for `node:http`, which would print each error of its body, even if the caller has caused it
 * by disconnecting. Failures of the server are reported where they occur.
 *
 * @returns a response whose body does not fail. Instead, the connection is closed before the end of the body
 */
export function withQuietBody(response: Response, outgoing: Outgoing): Response {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch {
          outgoing.destroy(new Error("The response is truncated."));
          controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
