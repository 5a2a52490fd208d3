import { createEndpoint } from "../../src/service/endpoint.ts";
import { unknownTemplate } from "../../src/service/problem.ts";
import { requireApiKey } from "../../src/service/require-api-key.ts";

export const KEY = "the-key-of-this-test";
export const PDF = new TextEncoder().encode("%PDF-1.4 made up %%EOF");

export const json = { authorization: `API-Key ${KEY}`, "content-type": "application/json" };

/** An endpoint that accepts `KEY`, knows the template `invoice`, and limits bodies to 100 bytes. */
export const endpoint = createEndpoint({
  authorize: requireApiKey([KEY]),
  produce: ({ uid }) => {
    if (uid !== "invoice") throw unknownTemplate(uid);
    return { bytes: PDF };
  },
  maxBodyBytes: 100,
});

export const open = { authorize: () => undefined };

export interface Call {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream | null;
}

export function request({
  path = "/api/v1/templates/invoice/generate-sync",
  method = "POST",
  headers = json,
  body = "{}",
}: Call): Request {
  const init: RequestInit & { duplex: "half" } = { method, headers, duplex: "half" };
  if (body !== null && method !== "GET" && method !== "HEAD") init.body = body;
  return new Request(`http://service.test${path}`, init);
}

/** A body that counts the bytes read from it and never ends. */
export function endless(chunkBytes: number) {
  const seen = { bytes: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        seen.bytes += chunkBytes;
        controller.enqueue(new Uint8Array(chunkBytes).fill(0x20));
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { seen, stream };
}
