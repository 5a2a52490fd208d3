import { describe, expect, it } from "vitest";
import type { MakeTransport } from "./contract.ts";
import { record, requestTo } from "./recorder.ts";
import { head, serveRaw, settle, turn } from "./server.ts";

/** What goes over the wire, and when. */
export function describeRequest(makeTransport: MakeTransport): void {
  describe("request", () => {
    it("writes method, path, headers and body exactly as they were given", async () => {
      const server = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
      const body = JSON.stringify({ total: "£1,000,000", note: "🎉 naïve \u2028 漢字" });
      const headers = [
        ["authorization", "API-Key a key with spaces"],
        ["content-type", "application/json"],
        ["X-Mixed-Case", "kept"],
        ["x-latin", "caf\u00e9 \u00a3"],
        ["x-empty", ""],
      ];
      const path = "/prefix/api/v1/templates/a%2Fb%20%C3%A9%3F/generate-sync";
      await record(makeTransport(), requestTo(server.origin, { path, headers: headers.flat(), body }))
        .send()
        .until("end");

      const [request] = server.requests;
      const [requestLine, ...lines] = request?.lines ?? [];
      expect(requestLine).toBe(`POST ${path} HTTP/1.1`);
      const given = new Set(headers.map(([name]) => name?.toLowerCase()));
      const written = lines
        .map((line) => line.split(/: ?(.*)/s, 2))
        .filter(([name]) => given.has(name?.toLowerCase()));
      // Names compare without case: fetch writes some of them its own way.
      const lowered = (pairs: string[][]) =>
        pairs.map(([name, value]) => [name?.toLowerCase(), value]).sort();
      expect(lowered(written)).toEqual(lowered(headers));
      expect(lines.filter((line) => /^host:/i.test(line))).toEqual([`host: 127.0.0.1:${server.port}`]);
      expect(request?.body).toEqual(Buffer.from(body, "utf8"));
      expect(lines).toContain(`content-length: ${Buffer.byteLength(body)}`);
    });

    it("writes a body of many megabytes whole", async () => {
      const server = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
      const body = JSON.stringify({ text: "£🎉x".repeat(500_000) });
      await record(makeTransport(), requestTo(server.origin, { body })).send().until("end");
      expect(server.requests[0]?.body.equals(Buffer.from(body))).toBe(true);
    });

    it("sends nothing, and tells nothing, before send()", async () => {
      const server = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
      const transport = makeTransport();
      const unsent = record(transport, requestTo(server.origin));
      await settle(transport);
      expect(server.allSockets).toBe(0);
      expect(unsent.events).toEqual([]);
    });

    it("tells the events in order, and the last one last", async () => {
      const server = await serveRaw((socket) => socket.write(`${head(200, ["content-length: 5"])}%PDF-`));
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin)).send();
      await recorder.finished();
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
    });

    it("keeps requests that run side by side apart", async () => {
      const server = await serveRaw((socket, { body }) => {
        socket.write(`${head(200, [`content-length: ${body.length}`])}${body.toString("latin1")}`);
      });
      const transport = makeTransport();
      const recorders = Array.from({ length: 50 }, (_, index) =>
        record(transport, requestTo(server.origin, { body: `{"index":${index}}` })).send(),
      );
      await Promise.all(recorders.map((recorder) => recorder.finished()));
      expect(recorders.map((recorder) => recorder.body.toString())).toEqual(
        recorders.map((_, index) => `{"index":${index}}`),
      );
    });

    it("sends one request after the other by one socket", async () => {
      const server = await serveRaw((socket) => socket.write(`${head(200, ["content-length: 2"])}ok`));
      const transport = makeTransport();
      for (let round = 0; round < 5; round += 1) {
        await record(transport, requestTo(server.origin)).send().until("end");
        await turn();
      }
      expect(server.requests.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
      expect(server.allSockets).toBe(1);
    });
  });
}
