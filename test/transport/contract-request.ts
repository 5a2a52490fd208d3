import { describe, expect, it } from "vitest";
import { responseHeaders, serveRaw, turn, wholeAnswer } from "../support/sockets.ts";
import type { MakeTransport } from "./contract.ts";
import { exchange, record, requestTo, send, settle } from "./recorder.ts";

/** The bytes that are sent, and the part of a response that is reported before its body. */
export function describeRequest(makeTransport: MakeTransport): void {
  describe("request", () => {
    it("sends the method, path, headers and body exactly as given", async () => {
      const server = await serveRaw((socket) => socket.write(wholeAnswer("")));
      const body = JSON.stringify({ total: "£1,000,000", note: "🎉 naïve \u2028 漢字" });
      const headers = [
        ["authorization", "API-Key a key with spaces"],
        ["content-type", "application/json"],
        ["x-empty", ""],
        ["x-latin", "caf\u00e9 \u00a3"],
        ["x-mixed-case", "Kept"],
      ];
      const path = "/prefix/api/v1/templates/a%2Fb%20%C3%A9%3F/generate-sync";
      const request = requestTo(server.origin, { path, headers: headers.flat(), json: body });
      await record(makeTransport(), request).send().until("end");

      const [requestLine, ...lines] = server.requests[0]?.lines ?? [];
      expect(requestLine).toBe(`POST ${path} HTTP/1.1`);
      const pairs = lines.map((line) => line.split(/: ?(.*)/s, 2)).map(([name = "", value]) => [name, value]);
      const names = new Set(headers.map(([name]) => name));
      expect(pairs.filter(([name]) => names.has(name)).sort()).toEqual(headers);
      expect(lines).toContain(`host: 127.0.0.1:${server.port}`);
      expect(lines).toContain(`content-length: ${Buffer.byteLength(body)}`);
      expect(server.requests[0]?.body.toString()).toBe(body);
    });

    it("sends consecutive requests over one socket, and keeps the headers of each response", async () => {
      const transport = makeTransport();
      const { server, recorder: first } = await send(transport, (socket, { index }) =>
        socket.write(wholeAnswer("ok", [`x-index: ${index}`])),
      );
      await first.until("end");
      await turn();
      const second = record(transport, requestTo(server.origin)).send();
      await second.until("end");
      const recorders = [first, second];
      const indexes = ["0", "1"];
      expect(recorders.map(({ head }) => head.header("x-index"))).toEqual(indexes);
      expect(recorders.map(({ head }) => head.toHeaders().get("x-index"))).toEqual(indexes);
      expect(server.allSockets).toBe(1);
    });
  });

  describe("response headers", () => {
    it("do not include interim responses", async () => {
      const hints =
        responseHeaders("103 Early Hints", ["link: </style.css>; rel=preload"]) +
        responseHeaders("102 Processing");
      const recorder = await exchange(makeTransport(), hints + wholeAnswer("body", ["x-final: yes"]));
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect({ status: recorder.head.status, final: recorder.head.header("x-final") }).toEqual({
        status: 200,
        final: "yes",
      });
      expect(recorder.head.header("link")).toBeUndefined();
    });

    it("are reported as Latin-1, joined if they have the same name, and separate for cookies", async () => {
      const sent = [
        ["constructor", "no trap"],
        ["content-disposition", 'attachment; filename="r\u00e9sum\u00e9.pdf"'],
        ["content-length", "0"],
        ["x-empty", ""],
        ["x-utf8", Buffer.from("漢字").toString("latin1")],
      ];
      const more = ["x-twice: a", "X-Twice: b", "set-cookie: a=1; Path=/", "set-cookie: b=2"];
      const lines = [...sent.map((pair) => pair.join(": ")), ...more];
      const recorder = await exchange(makeTransport(), Buffer.from(responseHeaders(200, lines), "latin1"));
      const headers = recorder.head.toHeaders();
      for (const [name = "", value] of [...sent, ["x-twice", "a, b"]])
        expect({ name, ofHead: recorder.head.header(name), ofHeaders: headers.get(name) }).toEqual({
          name,
          ofHead: value,
          ofHeaders: value,
        });
      expect([...headers.keys()]).toHaveLength(sent.length + 3);
      expect(recorder.head.header("set-cookie")).toBe("a=1; Path=/, b=2");
      expect(headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
      expect(recorder.head.header("x-missing")).toBeUndefined();
    });

    it("of a redirect are reported, and the redirect is not followed", async () => {
      const target = await serveRaw((socket) => socket.write(wholeAnswer("")));
      const location = `${target.origin}/elsewhere`;
      const transport = makeTransport();
      const recorder = await exchange(transport, wholeAnswer("moved", [`location: ${location}`], 307));
      await settle(transport);
      expect(recorder.events).toEqual(["sent", "head", "chunk", "end"]);
      expect({ status: recorder.head.status, location: recorder.head.header("location") }).toEqual({
        status: 307,
        location,
      });
      expect(recorder.head.opaqueRedirect).toBe(false);
      expect({ targetSockets: target.allSockets, requestCount: recorder.server.requests.length }).toEqual({
        targetSockets: 0,
        requestCount: 1,
      });
    });
  });
}
