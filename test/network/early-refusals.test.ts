import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ApiError, ConnectionError } from "template-pdf";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { clientOf, pdfOf, rejectionOf, transports } from "../support/service.ts";
import { listen } from "../support/sockets.ts";

/** Far more than the system keeps for both sockets: most of it is still here when the refusal comes. */
const values = { text: "x".repeat(8 * 1024 * 1024) };

const child = fork(fileURLToPath(new URL("refusing-server.mjs", import.meta.url)));
let ports: Record<string, number>;
beforeAll(async () => {
  [ports] = (await once(child, "message")) as [typeof ports];
});
afterAll(() => child.kill());

describe.each(transports)("a response while 8 MB of values are being sent, by %s,", (_, options) => {
  it.each([
    ["closes its half of the connection and reads on", "halfCloses", false],
    ["closes its half of the connection and reads no more", "halfClosesUnread", false],
    // What the system has got of the answer is lost if it learns of the end first, as RFC 9112, 9.6, warns servers.
    ["closes the connection", "closes", true],
    ["resets the connection", "resets", true],
  ])("is an ApiError if the service %s, or else a ConnectionError", async (_what, manner, mayBeLost) => {
    const client = clientOf(`http://127.0.0.1:${ports[manner]}`, options);
    for (let round = 0; round < 4; round++) {
      const error = await rejectionOf(client.generate("inv", values).bytes());
      if (mayBeLost && !ApiError.is(error)) expect(error).toBeInstanceOf(ConnectionError);
      else expect(error).toMatchObject({ code: "api_error", status: 413, detail: "at most one megabyte" });
    }
  });

  it("is a whole document if the service answers by the headers alone", async () => {
    const pdf = pdfOf(100_000);
    // Node reads the rest of the request and throws it away.
    const server = await listen((_request, response) => response.end(pdf));
    onTestFinished(() => server.close());
    const client = clientOf(server.origin, options);
    for (let round = 0; round < 2; round++) {
      expect(pdf.equals(await client.generate("inv", values).bytes())).toBe(true);
    }
  });
});
