import { onceAborted } from "./once-aborted.ts";

/**
 * Makes the answer that keeps a document's whole head, and breaks off after half of its body.
 *
 * @param document - the whole answer; its body is read
 */
export async function cutAnswer(document: Response): Promise<Response> {
  const { half, headers } = await halve(document);
  return new Response(half, { headers });
}

/**
 * Makes the answer that keeps a document's whole head, and sends nothing more after half of its body.
 *
 * @param document - the whole answer; its body is read
 * @param endings - the first of these to be aborted breaks the answer off
 */
export async function stalledAnswer(document: Response, endings: readonly AbortSignal[]): Promise<Response> {
  const { half, headers } = await halve(document);
  let forget = () => {};
  const body = new ReadableStream<typeof half>({
    start(controller) {
      controller.enqueue(half);
      forget = onceAborted(endings, () => controller.close());
    },
    cancel: () => forget(),
  });
  return new Response(body, { headers });
}

/** Makes the page that a proxy would send instead of a document: 200, and HTML. */
export function loginPage(reason: string): Response {
  const page = `<!doctype html>
<html lang="en">
<title>Sign in</title>
<h1>Sign in</h1>
<p>${reason}</p>
<form><input name="user"><input name="password" type="password"><button>Sign in</button></form>
</html>
`;
  return new Response(page, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-length": String(Buffer.byteLength(page)),
      "cache-control": "no-store",
    },
  });
}

/**
 * A body that is too short for its `content-length`, on a connection that ends with it, breaks off quietly. Of a body
 * that ends in an error, the HTTP adapter would print the error, and end it as if it were whole when it comes early.
 */
async function halve(document: Response): Promise<{ half: Uint8Array<ArrayBuffer>; headers: Headers }> {
  const whole = new Uint8Array(await document.arrayBuffer());
  const headers = new Headers(document.headers);
  headers.set("content-length", String(whole.byteLength));
  headers.set("connection", "close");
  return { half: whole.slice(0, Math.floor(whole.byteLength / 2)), headers };
}
