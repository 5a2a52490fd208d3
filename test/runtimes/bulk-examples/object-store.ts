import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listen } from "../../support/sockets.ts";

/** The part of S3 that an upload uses; see https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations.html. */
export class ObjectStore {
  /** Complete objects by path. */
  readonly objects = new Map<string, Buffer>();
  /** The parts of uploads that were neither completed nor aborted, by the uploads' ids. */
  readonly open = new Map<string, Map<number, Buffer>>();
  /** The number of multipart uploads that were started. */
  begunUploads = 0;
  /** Unsupported requests. */
  readonly unknown: string[] = [];
  origin = "";

  static async start(): Promise<ObjectStore> {
    const store = new ObjectStore();
    const server = await listen((request, response) => void store.#answer(request, response));
    onTestFinished(() => server.close());
    store.origin = server.origin;
    return store;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "", headers } = request;
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const sent = await buffer(request).catch(() => undefined);
    if (!sent) return;
    const upload = searchParams.get("uploadId");
    const isEncoded = headers["transfer-encoding"] || headers["content-encoding"];
    const begins = searchParams.has("uploads");
    response.setHeader("etag", `"${sent.length}"`);
    if (isEncoded || !/^(?:POST|PUT|DELETE)$/.test(method ?? "")) {
      this.unknown.push(`${method} ${url}`);
      response.writeHead(400).end();
    } else if (begins) {
      const id = `upload-${++this.begunUploads}`;
      this.open.set(id, new Map());
      response.end(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    } else if (upload === null) {
      this.objects.set(pathname, sent);
      response.end();
    } else if (method === "PUT") {
      this.open.get(upload)?.set(Number(searchParams.get("partNumber")), sent);
      response.end();
    } else {
      const parts = [...(this.open.get(upload) ?? [])].sort(([one], [other]) => one - other);
      this.open.delete(upload);
      if (method === "POST") this.objects.set(pathname, Buffer.concat(parts.map(([, part]) => part)));
      response.end(method === "POST" ? "<CompleteMultipartUploadResult/>" : "");
    }
  }
}
