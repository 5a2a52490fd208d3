import type { IncomingMessage, ServerResponse } from "node:http";
import { listen, type SocketServer } from "../../support/sockets.ts";

/** As much of S3 as an upload uses; see https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations.html. */
export class ObjectStore {
  /** Whole objects by their paths. */
  readonly objects = new Map<string, Buffer>();
  /** The parts of uploads that were neither completed nor aborted, by the uploads' ids. */
  readonly open = new Map<string, Map<number, Buffer>>();
  /** How many uploads in parts were ever begun. */
  begunUploads = 0;
  /** What was asked that it does not know. */
  readonly unknown: string[] = [];
  #server: SocketServer | undefined;
  readonly #onPart = new Set<() => void>();

  get origin(): string {
    return this.#server?.origin ?? "";
  }

  async start(): Promise<void> {
    this.#server = await listen((request, response) => void this.#answer(request, response));
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  /** Resolves when that many parts have arrived whole, of uploads that are open. */
  async partsArrived(count: number): Promise<void> {
    const arrived = () => [...this.open.values()].reduce((sum, parts) => sum + parts.size, 0);
    while (arrived() < count) await new Promise<void>((resolve) => this.#onPart.add(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "", headers } = request;
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const sent = Buffer.concat(chunks);
    const upload = searchParams.get("uploadId") ?? "";
    const etag = `"${sent.length}"`;
    if (headers["transfer-encoding"] || headers["content-encoding"]) {
      this.unknown.push(`${method} ${url} in an encoding`);
      response.writeHead(400).end();
    } else if (method === "POST" && searchParams.has("uploads")) {
      const id = `upload-${++this.begunUploads}`;
      this.open.set(id, new Map());
      response.end(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    } else if (method === "PUT" && upload !== "") {
      this.open.get(upload)?.set(Number(searchParams.get("partNumber")), sent);
      response.setHeader("etag", etag).end();
      for (const hear of this.#onPart) hear();
      this.#onPart.clear();
    } else if (method === "PUT") {
      this.objects.set(pathname, sent);
      response.setHeader("etag", etag).end();
    } else if (method === "POST" && upload !== "") {
      const parts = [...(this.open.get(upload) ?? [])].sort(([one], [other]) => one - other);
      this.open.delete(upload);
      this.objects.set(pathname, Buffer.concat(parts.map(([, part]) => part)));
      response.end(`<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`);
    } else if (method === "DELETE" && upload !== "") {
      this.open.delete(upload);
      response.writeHead(204).end();
    } else {
      this.unknown.push(`${method} ${url}`);
      response.writeHead(501).end();
    }
  }
}
