import { describe, expect, it } from "vitest";
import type { MakeTransport } from "./contract.ts";
import { record, requestTo } from "./recorder.ts";
import { head, serveRaw, settle, turn } from "./server.ts";

/** What is told of an answer before its body. */
export function describeHead(makeTransport: MakeTransport): void {
  describe("head", () => {
    it.each([200, 201, 206, 400, 401, 404, 422, 429, 500, 503])(
      "tells status %i with its body",
      async (status) => {
        const server = await serveRaw((socket) => socket.write(`${head(status, ["content-length: 4"])}body`));
        const recorder = record(makeTransport(), requestTo(server.origin)).send();
        await recorder.until("end");
        expect([recorder.head.status, recorder.body.toString()]).toEqual([status, "body"]);
        expect(recorder.head.opaqueRedirect).toBe(false);
      },
    );

    it("does not tell interim answers", async () => {
      const server = await serveRaw((socket) => {
        socket.write(head("103 Early Hints", ["link: </style.css>; rel=preload"]));
        socket.write(head("102 Processing"));
        socket.write(`${head(200, ["content-length: 4", "x-final: yes"])}body`);
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.finished();
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect([recorder.head.status, recorder.head.header("x-final")]).toEqual([200, "yes"]);
      expect(recorder.head.header("link")).toBeUndefined();
    });

    it("gives every header as it was sent, as Latin-1", async () => {
      const sent = [
        ["content-length", "0"],
        ["x-latin", "caf\u00e9 \u00a3 \u00ff"],
        ["content-disposition", 'attachment; filename="r\u00e9sum\u00e9.pdf"'],
        ["x-utf8", Buffer.from("漢字").toString("latin1")],
        ["X-Upper", "Value"],
        ["constructor", "no trap"],
        ["x-empty", ""],
      ];
      const server = await serveRaw((socket) => {
        socket.write(
          Buffer.from(
            head(
              200,
              sent.map(([name, value]) => `${name}: ${value}`),
            ),
            "latin1",
          ),
        );
      });
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.until("end");
      const expected = sent.map(([name, value]) => [name?.toLowerCase(), value]).sort();
      expect([...recorder.head.toHeaders()]).toEqual(expected);
      expect(expected.map(([name = ""]) => [name, recorder.head.header(name)])).toEqual(expected);
      expect(recorder.head.header("x-missing")).toBeUndefined();
    });

    it("joins headers of one name, but keeps cookies apart where they can be", async () => {
      const lines = [
        "content-length: 0",
        "x-twice: a",
        "X-Twice: b",
        "set-cookie: a=1; Path=/",
        "set-cookie: b=2",
      ];
      const server = await serveRaw((socket) => socket.write(head(200, lines)));
      const recorder = record(makeTransport(), requestTo(server.origin)).send();
      await recorder.until("end");
      expect(recorder.head.header("x-twice")).toBe("a, b");
      expect(recorder.head.header("set-cookie")).toBe("a=1; Path=/, b=2");
      const headers = recorder.head.toHeaders();
      expect(headers.get("x-twice")).toBe("a, b");
      expect(headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
    });

    it("still gives the headers when the next answer has come by the same socket", async () => {
      const server = await serveRaw((socket, { index }) =>
        socket.write(head(200, ["content-length: 0", `x-index: ${index}`])),
      );
      const transport = makeTransport();
      const first = record(transport, requestTo(server.origin)).send();
      await first.until("end");
      await turn();
      const second = record(transport, requestTo(server.origin)).send();
      await second.until("end");
      const seen = [first, second].map(({ head }) => [
        head.header("x-index"),
        head.toHeaders().get("x-index"),
      ]);
      expect(seen).toEqual([
        ["0", "0"],
        ["1", "1"],
      ]);
    });

    it.each([301, 302, 303, 307, 308])("tells a redirect (%i) and never follows it", async (status) => {
      const target = await serveRaw((socket) => socket.write(head(200, ["content-length: 0"])));
      const location = `${target.origin}/elsewhere`;
      const server = await serveRaw((socket) =>
        socket.write(`${head(status, [`location: ${location}`, "content-length: 5"])}moved`),
      );
      const transport = makeTransport();
      const recorder = record(transport, requestTo(server.origin)).send();
      await recorder.finished();
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect([recorder.head.status, recorder.head.header("location")]).toEqual([status, location]);
      expect(recorder.head.opaqueRedirect).toBe(false);
      expect(target.allSockets).toBe(0);
      expect(server.requests).toHaveLength(1);
    });
  });
}
