import { ConfigurationError } from "template-pdf";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { clientOf, pdfFrom, sourceOf } from "../support/service.ts";
import { serveRaw, turn, wholeAnswer } from "../support/sockets.ts";

it("A client shares its connections with derived clients, and closes them when it is closed itself", async () => {
  // Neither side closes an idle connection for ten minutes.
  const answer = wholeAnswer(pdfFrom("network"), ["keep-alive: timeout=600"]);
  const server = await serveRaw((socket) => socket.write(answer));
  const client = clientOf(server.origin);
  const derived = client.with({ apiKey: "another" });
  await sourceOf(derived);
  await derived.close();
  await turn();
  expect(await sourceOf(client)).toBe("network");
  expect([server.allSockets, server.openSockets]).toEqual([1, 1]);
  await client.close();
  await eventually(() => server.openSockets === 0);
  await expect(sourceOf(client)).rejects.toThrow(ConfigurationError);
});
