import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ApiError, ConnectionError } from "template-pdf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pdfOf, rejectionOf, Service, transports, withLength } from "../support/service.ts";
import { serve } from "../transport/server.ts";
import { clientOf } from "../transport/service.ts";

/** Far more than the system keeps for both sockets: most of it is still here when the refusal comes. */
const values = { text: "x".repeat(8 * 1024 * 1024) };

const child = fork(fileURLToPath(new URL("refusing-server.mjs", import.meta.url)));
let ports: Record<string, number>;
beforeAll(async () => {
  [ports] = (await once(child, "message")) as [typeof ports];
});
afterAll(() => child.kill());

const tooLarge = { status: 413, detail: "at most one megabyte" };

describe.each(transports)("a refusal while 8 MB of values are on their way, by %s,", (_, options) => {
  const refused = (manner: string) =>
    rejectionOf(clientOf(`http://127.0.0.1:${ports[manner]}`, options).generate("inv", values).bytes());

  it.each([
    ["reads on", "readsOn"],
    ["closes its half of the connection and reads on", "halfCloses"],
    ["closes its half of the connection and reads no more", "halfClosesUnread"],
  ])("is an ApiError, where the service %s", async (_what, manner) => {
    for (let round = 0; round < 5; round++) {
      const error = await refused(manner);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject(tooLarge);
    }
  });

  // What the system has got of the answer is lost where it hears of the end first, as RFC 9112, 9.6, warns servers.
  it.each([
    ["closes the connection", "closes"],
    ["resets the connection", "resets"],
  ])("is an ApiError or a ConnectionError, and soon, where the service %s at once", async (_what, manner) => {
    for (let round = 0; round < 10; round++) {
      const error = await refused(manner);
      if (ApiError.is(error)) expect(error).toMatchObject(tooLarge);
      else expect(error).toBeInstanceOf(ConnectionError);
    }
  });

  it("leaves the client fit for the next call", async () => {
    const service = await Service.start(withLength(pdfOf(2_000)));
    const client = service.client(options);
    await rejectionOf(
      client
        .with({ baseUrl: `http://127.0.0.1:${ports["closes"]}` })
        .generate("inv", values)
        .bytes(),
    );
    expect(await client.generate("inv", values).bytes()).toHaveLength(2_000);
  });
});

describe.each(transports)("a document while 8 MB of values are on their way, by %s,", (_, options) => {
  it("is whole, three times by one client", async () => {
    const pdf = pdfOf(100_000);
    // Answers by the head alone; Node then reads what follows, and throws it away.
    const server = await serve((_request, response) => response.end(pdf));
    const client = clientOf(server.origin, options);
    for (let round = 0; round < 3; round++) {
      expect(pdf.equals(await client.generate("inv", values).bytes())).toBe(true);
    }
  });
});
