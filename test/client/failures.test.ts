import { gzipSync } from "node:zlib";
import {
  type ApiError,
  ConnectionError,
  InvalidPdfError,
  ServerError,
  TruncatedPdfError,
} from "template-pdf";
import { describe, expect, it } from "vitest";
import { fullPipe } from "../support/full-pipe.ts";
import { hasPipeFiles } from "../support/platform.ts";
import {
  type Answer,
  inChunks,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  turns,
  untilClose,
  withLength,
} from "../support/service.ts";
import { failureAt, forms, generate, stages } from "./every-form.ts";
import { countTimers, expectTimeout } from "./timing.ts";

// What each fault leads to: test/faults. What each error says: test/call.

const pdf = pdfOf(100_000);
const half = pdf.subarray(0, 60_000);

async function failureOf(answer: Answer): Promise<Error> {
  const service = await Service.start(answer);
  return rejectionOf(generate(service.client()).bytes()) as Promise<Error>;
}

describe("an error response", () => {
  it("rejects with its class and its facts, and its body is not printed", async () => {
    const json = '{"message":"no such template","password":"hidden"}';
    const error = await failureOf(saying(404, json, { "x-request-id": "r-7", "x-more": "m" }));
    expect(error).toMatchObject({ code: "not_found", status: 404, requestId: "r-7", attempts: 1 });
    const { headers, body, rawBody, detail } = error as ApiError;
    expect([headers?.get("x-more"), rawBody, detail]).toEqual(["m", json, "no such template"]);
    expect(body).toEqual(JSON.parse(json));
    expect(JSON.stringify(error)).not.toContain("hidden");
    expect(Object.keys(error).sort()).toEqual(["attempts", "code", "requestId", "status"]);
  });

  it.each(forms)("rejects %s, of the pending result and after an await", async (_, read) => {
    const service = await Service.start(saying(402));
    for (const stage of stages) {
      expect(await failureAt(stage, generate(service.client()), read)).toMatchObject({ status: 402 });
    }
  });

  it("is put together from pieces, also within a character", async () => {
    const error = await failureOf(async ({ response }) => {
      response.writeHead(413);
      for (const byte of Buffer.from('{"message":"zu groß"}')) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect((error as ApiError).detail).toBe("zu groß");
  });

  it("without an end is kept up to 64 KiB, and its connection is freed", async () => {
    const service = await Service.start(async ({ response, socket }) => {
      response.writeHead(500, { "content-type": "text/plain" });
      while (!socket.destroyed) {
        response.write("é".repeat(5_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const error = (await rejectionOf(generate(service.client()).bytes())) as ServerError;
    expect(Buffer.byteLength(error.rawBody)).toBeGreaterThan(60_000);
    expect(Buffer.byteLength(error.rawBody)).toBeLessThanOrEqual(64 * 1024);
    expect(error.rawBody).toMatch(/^é+\ufffd?$/);
    await (await service.request()).closed;
  });

  it("that is truncated is an ApiError with what arrived", async () => {
    const error = await failureOf(({ response, socket }) => {
      response.writeHead(503, { "content-length": 1_000 });
      response.write("Service Unav", () => socket.destroy());
    });
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ rawBody: "Service Unav", cause: expect.any(Error) });
  });

  it.each([301, 302, 303, 307, 308])("of status %i is not followed, wherever it points", async (status) => {
    const elsewhere = await Service.start(withLength(pdf));
    for (const target of [
      `${elsewhere.baseUrl}/a?token=t0ken`,
      "/a",
      elsewhere.baseUrl.replace("http:", ""),
    ]) {
      const service = await Service.start(saying(status, "", { location: target }));
      const error = await rejectionOf(generate(service.client({ retry: { limit: 2 } })).bytes());
      expect(error).toMatchObject({ code: "api_error", status, attempts: 1 });
      expect((error as Error).message).toContain(JSON.stringify(target.replace("?token=t0ken", "")));
      expect(service.requests).toHaveLength(1);
    }
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("a connection that fails", () => {
  it("is a ConnectionError with the system's own reason", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ baseUrl: "http://127.0.0.1:9" });
    const error = (await rejectionOf(generate(client).bytes())) as ConnectionError;
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "connection_failed", attempts: 1 });
    expect(error.message).toContain("http://127.0.0.1:9");
    expect(error.message).toContain("ECONNREFUSED");
    let innermost: unknown = error;
    while ((innermost as Error).cause instanceof Error) innermost = (innermost as Error).cause;
    expect(innermost).toMatchObject({ code: "ECONNREFUSED", port: 9 });
  });

  it("before the response says that the document may have been rendered", async () => {
    const error = await failureOf(({ socket }) => void socket.destroy());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toContain("may have been rendered");
    expect(error.cause).toBeInstanceOf(Error);
  });
});

describe("a body that is not a PDF", () => {
  it("is recognised by its first kilobyte, and its connection is freed", async () => {
    const service = await Service.start(
      ({ response }) => void response.writeHead(200).write(`<html>${"please ".repeat(500)}`),
    );
    const error = await rejectionOf(generate(service.client()).bytes());
    expect(error).toBeInstanceOf(InvalidPdfError);
    expect((error as InvalidPdfError).excerpt).toMatch(/^<html>please/);
    await (await service.request()).closed;
  });

  it.each(["<html>", "", "%PDF-1.7 without an end"])("is accepted with `verify: false`: %j", async (text) => {
    const service = await Service.start(saying(200, text));
    const client = service.client();
    expect(Buffer.from(await generate(client, { verify: false }).bytes()).toString()).toBe(text);
    const lenient = client.with({ verify: false });
    expect((await generate(lenient).buffer()).toString()).toBe(text);
    expect(await rejectionOf(generate(lenient, { verify: true }).bytes())).toBeInstanceOf(Error);
  });
});

/** Sends `part` of a document and then ends the connection. */
function breaking(part: Buffer, length: number | undefined, end: "reset" | "close" = "close"): Answer {
  return ({ response, socket }) => {
    response.writeHead(200, length === undefined ? {} : { "content-length": length }).flushHeaders();
    response.write(part, () => (end === "reset" ? socket.resetAndDestroy() : socket.end()));
  };
}

describe("a truncated document", () => {
  const packed = gzipSync(pdf);
  it.each<[string, Answer, object]>([
    ["no end mark", withLength(half), { receivedBytes: 60_000, promisedBytes: 60_000 }],
    ["no end mark, in chunks", inChunks(half), { receivedBytes: 60_000 }],
    ["no end mark, until close", untilClose(half), { receivedBytes: 60_000 }],
    ["fewer bytes than promised", breaking(half, 100_000), { receivedBytes: 60_000, promisedBytes: 100_000 }],
    ["an end mark too early", breaking(pdf, 100_010), { receivedBytes: 100_000, promisedBytes: 100_010 }],
    ["a reset", breaking(half, 100_000, "reset"), { promisedBytes: 100_000 }],
    ["chunks without the last one", breaking(pdf, undefined), { receivedBytes: 100_000 }],
    ["nothing but headers", breaking(Buffer.alloc(0), 1_000), { receivedBytes: 0, promisedBytes: 1_000 }],
    ["incomplete gzip", inChunks(packed.subarray(0, -20), { "content-encoding": "gzip" }), {}],
  ])("with %s rejects with how much arrived", async (_, answer, facts) => {
    const error = (await failureOf(answer)) as TruncatedPdfError;
    expect(error).toBeInstanceOf(TruncatedPdfError);
    expect(error).toMatchObject({ code: "truncated_pdf", status: 200, attempts: 1, ...facts });
    expect("promisedBytes" in error).toBe("promisedBytes" in facts);
    expect(error.message).toContain(String(error.receivedBytes));
  });

  it.each(forms)("that broke before it was read rejects %s", async (_, read) => {
    let broken: Promise<void> | undefined;
    const service = await Service.start((received) => {
      breaking(pdf.subarray(0, 10_000), pdf.length)(received);
      broken = received.closed;
    });
    const document = await generate(service.client());
    await broken;
    expect(await rejectionOf((async () => read(document))())).toBeInstanceOf(TruncatedPdfError);
  });

  it("is reported to the first reader of a Node stream, who may come late", async () => {
    const service = await Service.start(withLength(pdf.subarray(0, 10_000)));
    const document = await generate(service.client());
    await turns(20);
    const stream = document.nodeStream();
    // An error without a listener would be an uncaught exception now, and fail the run.
    await turns(20);
    await expect(stream.toArray()).rejects.toBeInstanceOf(TruncatedPdfError);
  });

  it("that a custom `fetch` ends as if it were whole rejects", async () => {
    const headers = { "content-length": String(pdf.length + 1) };
    const service = await Service.start(() => {});
    const client = service.client({ fetch: async () => new Response(new Uint8Array(pdf), { headers }) });
    const facts = { receivedBytes: pdf.length, promisedBytes: pdf.length + 1 };
    expect(await rejectionOf(generate(client).bytes())).toMatchObject({ code: "truncated_pdf", ...facts });
  });

  it("rejects with `verify: false` if there are fewer bytes than promised", async () => {
    const service = await Service.start(breaking(half, pdf.length));
    const pending = generate(service.client({ verify: false }));
    expect(await rejectionOf(pending.bytes())).toBeInstanceOf(TruncatedPdfError);
  });
});

describe("an API key function that fails for the second attempt", () => {
  it("is reported with the failed attempt as the cause", async () => {
    const service = await Service.start(saying(503, "", { "retry-after": "0" }));
    let calls = 0;
    const apiKey = () => {
      if (++calls > 1) throw new Error("the vault is shut");
      return "key-of-the-tests";
    };
    const error = (await rejectionOf(generate(service.client({ apiKey, retry: {} })).bytes())) as Error;
    expect(error).toMatchObject({ code: "invalid_configuration", attempts: 1, cause: { status: 503 } });
    expect(error.message).toContain("catch it in that function");
  });
});

describe("a limit or a signal at an odd moment", () => {
  it.runIf(hasPipeFiles).each([2_000, 5_000_000])(
    "ends the writing of %d bytes that nobody takes, after `timeouts.total`",
    async (size) => {
      const pipe = fullPipe();
      const service = await Service.start(withLength(pdfOf(size)));
      const client = service.client({ timeouts: { total: 300 } });
      const document = await generate(client);
      await turns(20);
      const saving = rejectionOf(document.saveTo(pipe.path));
      setTimeout(() => pipe.close(), 500);
      expectTimeout(await saving, "total", 300);
      await client.close();
    },
  );

  it("counts what has passed of `timeouts.total` before a retry", async () => {
    const service = await Service.start(async ({ response }) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      response.writeHead(503, { "retry-after": "0.4" }).end();
    });
    const client = service.client({ retry: {}, timeouts: { total: 600 } });
    const error = (await rejectionOf(generate(client).bytes())) as Error;
    expect(error.message).toContain("would exceed `timeouts.total`");
    expect(service.requests).toHaveLength(1);
  });

  it("leaves no timer if a `fetch` aborts the call while it is called", async () => {
    const service = await Service.start(() => {});
    const controller = new AbortController();
    const before = countTimers();
    const fetch = () => {
      controller.abort("enough");
      return new Promise<never>(() => {});
    };
    const client = service.client({ fetch });
    expect(await rejectionOf(generate(client, { signal: controller.signal }).bytes())).toBe("enough");
    expect(countTimers()).toBe(before);
  });

  it("does not abort the signal of a `fetch` once the document was read", async () => {
    const service = await Service.start(withLength(pdf));
    let signal: AbortSignal | undefined;
    const client = service.client({
      fetch: (url, init) => {
        signal = init.signal;
        return fetch(url, init);
      },
    });
    const document = await generate(client);
    await document.bytes();
    await document.cancel();
    expect(signal?.aborted).toBe(false);
  });
});
