import { expect } from "vitest";
import { ApiError, ConnectionError } from "../../../src/index.ts";
import type { Ground } from "../proof.ts";
import { proofs } from "../proof.ts";
import type { Answer } from "../service.ts";

/** What a call rejects with when the service gives this answer. */
async function errorFor({ pdfs, service }: Ground, answer: Answer): Promise<ApiError> {
  service.answer = () => answer;
  const error: unknown = await pdfs.generate("inv_2024", {}).then(
    () => "a document",
    (reason) => reason,
  );
  if (!ApiError.is(error)) throw new Error(`Expected an ApiError, got ${error}.`);
  return error;
}

export const errors = proofs("Errors", (prove) => {
  const row = "Error responses, error codes, status codes and error body shape: not shown.";

  for (const [status, name, code] of [
    [400, "BadRequestError", "bad_request"],
    [401, "AuthenticationError", "authentication_failed"],
    [403, "PermissionError", "permission_denied"],
    [404, "NotFoundError", "not_found"],
    [422, "BadRequestError", "bad_request"],
    [429, "RateLimitError", "rate_limited"],
    [500, "ServerError", "server_error"],
    [503, "ServerError", "server_error"],
    [599, "ServerError", "server_error"],
    [300, "ApiError", "api_error"],
    [402, "ApiError", "api_error"],
    [418, "ApiError", "api_error"],
    [499, "ApiError", "api_error"],
  ] as const) {
    prove(row, `${status} means what it means to HTTP: ${name}`, async (ground) => {
      const error = await errorFor(ground, { status });
      expect(error).toMatchObject({ name, code, status });
    });
  }

  for (const [what, body, parsed] of [
    ["JSON of any shape", '{"fault":[{"no":17}]}', { fault: [{ no: 17 }] }],
    ["JSON that is no object", "[1,null]", [1, null]],
    ["text", "Nope.", "Nope."],
    ["a page", "<html><h1>Sorry</h1></html>", "<html><h1>Sorry</h1></html>"],
    ["half of some JSON", '{"fault":', '{"fault":'],
    ["nothing", "", ""],
  ] as const) {
    prove(row, `a body of ${what} is kept as it is, and nothing is read into it`, async (ground) => {
      const error = await errorFor(ground, { status: 409, body });
      expect(error.body).toEqual(parsed);
      expect([error.rawBody, error.detail]).toEqual([body, undefined]);
    });
  }

  prove(row, "whether a body is JSON shows in the body, not in its content type", async (ground) => {
    const headers = { "content-type": "text/html" };
    const error = await errorFor(ground, { status: 409, headers, body: '{"a":1}' });
    expect(error.body).toEqual({ a: 1 });
  });

  for (const body of [
    '{"message":"No such field."}',
    '{"error":"No such field."}',
    '{"error":{"message":"No such field."}}',
    '{"title":"Wrong","detail":"No such field."}',
    '{"title":"No such field."}',
  ]) {
    prove(row, `where the usual fields hold a message, as in ${body}, it is told`, async (ground) => {
      const error = await errorFor(ground, { status: 422, body });
      expect(error.detail).toBe("No such field.");
      expect(error.message).toContain("No such field.");
    });
  }

  prove(row, "the service's own code is no code of the client", async (ground) => {
    const body = '{"code":"E17","status":200,"name":"Fault"}';
    const error = await errorFor(ground, { status: 409, body });
    expect(error).toMatchObject({ code: "api_error", status: 409, name: "ApiError" });
  });

  prove(row, "headers are kept, known or not", async (ground) => {
    const headers = { "x-fault": "17", "x-request-id": "req_1" };
    const error = await errorFor(ground, { status: 409, headers });
    expect([error.headers?.get("x-fault"), error.requestId]).toEqual(["17", "req_1"]);
  });

  prove(row, "no answer at all is a ConnectionError", async ({ pdfs, service }) => {
    service.answer = () => "hang up";
    await expect(pdfs.generate("inv_2024", {}).bytes()).rejects.toThrow(ConnectionError);
  });

  prove(row, "the refusals of our own service's side come as RFC 9457 problems", async ({ pdfs }) => {
    const error: unknown = await pdfs.generate("inv_1999", {}).catch((reason) => reason);
    expect(error).toMatchObject({ status: 404, detail: expect.stringContaining("inv_1999") });
    expect((error as ApiError).headers?.get("content-type")).toBe("application/problem+json");
  });
});
