import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type ClientOptions,
  ConnectionError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TemplatePdfError,
} from "template-pdf";
import { describe, expect, it } from "vitest";
import { pdfOf, rejectionOf, Service, saying, withLength } from "../support/service.ts";
import { failureAt, forms, generate, stages } from "./every-form.ts";

type ErrorClass = new (...given: never[]) => TemplatePdfError;

const statuses: readonly (readonly [number, ErrorClass, string])[] = [
  [300, ApiError, "api_error"],
  [304, ApiError, "api_error"],
  [400, BadRequestError, "bad_request"],
  [401, AuthenticationError, "authentication_failed"],
  [402, ApiError, "api_error"],
  [403, PermissionError, "permission_denied"],
  [404, NotFoundError, "not_found"],
  [405, ApiError, "api_error"],
  [408, ApiError, "api_error"],
  [410, ApiError, "api_error"],
  [413, ApiError, "api_error"],
  [415, ApiError, "api_error"],
  [418, ApiError, "api_error"],
  [422, BadRequestError, "bad_request"],
  [429, RateLimitError, "rate_limited"],
  [500, ServerError, "server_error"],
  [501, ServerError, "server_error"],
  [502, ServerError, "server_error"],
  [503, ServerError, "server_error"],
  [504, ServerError, "server_error"],
  [599, ServerError, "server_error"],
];

async function errorOf(service: Service, options: ClientOptions = {}): Promise<ApiError> {
  const error = await rejectionOf(generate(service.client(options)).bytes());
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe("an answer that is no success", () => {
  const ask = async (answer: Parameters<typeof Service.start>[0]) => {
    const service = await Service.start(answer);
    return rejectionOf(generate(service.client()).bytes()) as Promise<ApiError>;
  };

  it.each(statuses)(
    "with status %i has its class and code, and the facts of the answer",
    async (status, ErrorClass, code) => {
      const error = await ask(saying(status, '{"message":"no"}', { "x-request-id": "r-7", "x-more": "m" }));
      expect(error).toBeInstanceOf(ErrorClass);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toBeInstanceOf(TemplatePdfError);
      expect(error.constructor).toBe(ErrorClass);
      expect(error).toMatchObject({ code, status, requestId: "r-7", attempts: 1 });
      expect(error.headers?.get("x-more")).toBe("m");
      expect(error.message).toContain(String(status));
      expect(error.message).toContain('"inv_2024"');
      expect(error.name).toBe(ErrorClass.name);
    },
  );

  it.each([
    ['{"message":"the message"}', "the message"],
    ['{"error":"the error"}', "the error"],
    ['{"error":{"message":"the inner message"}}', "the inner message"],
    ['{"title":"the title"}', "the title"],
    ['{"title":"the title","detail":"the detail"}', "the detail"],
    ['{"message":"","error":"the error"}', "the error"],
    ['{"message":{"text":"no string"}}', undefined],
    ['{"statusText":"no usual field"}', undefined],
    ["[]", undefined],
    ["null", undefined],
    ["17", undefined],
  ])("of %s has the body and the detail", async (json, detail) => {
    const error = await ask(saying(400, json, { "content-type": "application/problem+json" }));
    expect(error.rawBody).toBe(json);
    expect(error.body).toEqual(JSON.parse(json));
    expect(error.detail).toBe(detail);
    if (detail) expect(error.message).toContain(`"${detail}"`);
  });

  it.each(["", "plain words", "<h1>Bad Gateway</h1>", '{"message":"cut of'])(
    "of %j is kept as text",
    async (text) => {
      const error = await ask(saying(502, text));
      expect(error).toMatchObject({ rawBody: text, body: text, detail: undefined });
      if (text) expect(error.message).not.toContain(text);
    },
  );

  it("is never printed by itself", async () => {
    const error = await ask(saying(400, '{"password":"hidden"}'));
    expect(JSON.stringify(error)).not.toContain("hidden");
    expect(Object.keys(error).sort()).toEqual(["attempts", "code", "status"]);
  });

  it("in more than one piece is put together, also within a character", async () => {
    const json = Buffer.from('{"message":"zu groß"}');
    const error = await ask(async ({ response }) => {
      response.writeHead(413);
      for (const byte of json) {
        response.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect(error.detail).toBe("zu groß");
  });

  it("that goes on and on is kept up to 64 KiB, and the connection freed", async () => {
    let sent = 0;
    const service = await Service.start(async ({ response, socket }) => {
      response.writeHead(500, { "content-type": "text/plain" });
      while (!socket.destroyed) {
        sent += 10_000;
        response.write("é".repeat(5_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const error = await errorOf(service);
    expect(error).toBeInstanceOf(ServerError);
    expect(Buffer.byteLength(error.rawBody)).toBeGreaterThan(60_000);
    expect(Buffer.byteLength(error.rawBody)).toBeLessThanOrEqual(64 * 1024);
    expect(error.rawBody).toMatch(/^é+\ufffd?$/);
    await (await service.request()).closed;
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it("that breaks off is still an ApiError, with what came of it", async () => {
    const error = await ask(({ response, socket }) => {
      response.writeHead(503, { "content-length": 1_000 });
      response.write("Service Unav", () => socket.destroy());
    });
    expect(error).toBeInstanceOf(ServerError);
    expect(error.rawBody).toBe("Service Unav");
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("frees its connection for the next request", async () => {
    const pdf = pdfOf(2_000);
    const service = await Service.start((received) =>
      (service.requests.length < 3 ? saying(429, "{}") : withLength(pdf))(received),
    );
    const client = service.client();
    for (let count = 0; count < 2; count++) {
      expect(await rejectionOf(generate(client).bytes())).toBeInstanceOf(RateLimitError);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(pdf.equals(await generate(client).bytes())).toBe(true);
    expect(service.connections).toBe(1);
  });

  it.each([301, 302, 303, 307, 308])(
    "with status %i is not followed, and tells where it points",
    async (status) => {
      const target = await Service.start(withLength(pdfOf(2_000)));
      const location = `${target.baseUrl}/login?token=t0ken#fragment`;
      const error = await ask(saying(status, "", { location }));
      expect(error).toMatchObject({ code: "api_error", status });
      expect(error.message).toContain(`${target.baseUrl}/login`);
      expect(error.message).not.toContain("t0ken");
      expect(error.message).toContain("baseUrl");
      expect(target.requests).toHaveLength(0);
    },
  );

  it("with status 404 names the uid and the path of baseUrl: either may be wrong", async () => {
    const service = await Service.start(saying(404));
    for (const [path, named] of [
      ["", "/"],
      ["/pdf/service/", "/pdf/service"],
    ] as const) {
      const client = service.client({ baseUrl: service.baseUrl + path });
      const error = await rejectionOf(client.generate("no such ü", {}).bytes());
      expect(String(error)).toContain('"no such ü"');
      expect(String(error)).toContain(JSON.stringify(named));
    }
  });

  it.each(forms)("rejects %s, of the pending result and after an await", async (_, read) => {
    const service = await Service.start(saying(402));
    for (const stage of stages) {
      expect(await failureAt(stage, generate(service.client()), read)).toMatchObject({ status: 402 });
    }
  });
});

it("a redirect that a page may not look into is an ApiError that says so", async () => {
  const service = await Service.start(() => {});
  const opaque = { type: "opaqueredirect", status: 0, headers: new Headers(), body: null };
  const fetch = (async () => opaque) as unknown as typeof globalThis.fetch;
  const error = await errorOf(service, { fetch });
  expect([error.code, error.status]).toEqual(["api_error", 0]);
  expect(error.message).toContain(" answered a redirect for template ");
});

describe("no answer at all", () => {
  it("is a ConnectionError with its cause where nobody listens", async () => {
    const service = await Service.start(() => {});
    const { port } = new URL(service.baseUrl);
    const client = service.client({ baseUrl: "http://127.0.0.1:1" });
    const error = (await rejectionOf(generate(client).bytes())) as ConnectionError;
    expect(port).not.toBe("1");
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "connection_failed", attempts: 1 });
    expect(error.status).toBeUndefined();
    expect(error.message).toContain("http://127.0.0.1:1");
  });

  it("names the system's own reason", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ baseUrl: "http://127.0.0.1:9" });
    const error = (await rejectionOf(generate(client).bytes())) as ConnectionError;
    expect(error.message).toContain("ECONNREFUSED");
    let innermost: unknown = error;
    while ((innermost as Error).cause instanceof Error) innermost = (innermost as Error).cause;
    expect(innermost).toMatchObject({ code: "ECONNREFUSED", port: 9 });
  });

  it("is a ConnectionError where the connection ends before the answer", async () => {
    const service = await Service.start(({ socket }) => void socket.destroy());
    const error = await rejectionOf(generate(service.client()).bytes());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toContain("may have been rendered");
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  it("is a ConnectionError where what comes is no HTTP", async () => {
    const service = await Service.start(({ socket }) => void socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    expect(await rejectionOf(generate(service.client()).bytes())).toBeInstanceOf(ConnectionError);
  });

  it("is a ConnectionError where the name cannot be resolved", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ baseUrl: "https://no-such-host.invalid" });
    expect(await rejectionOf(generate(client).bytes())).toBeInstanceOf(ConnectionError);
  });
});
