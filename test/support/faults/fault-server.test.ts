import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { answer } from "../../../src/service/faults/fault-script.ts";
import { fakePdf } from "../../../src/testing/fake-pdf.ts";
import { faults } from "../../../src/testing/faults.ts";
import { earlyFault, FaultServer } from "./fault-server.ts";

const request = "POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
const document = fakePdf({ bytes: 5_000 });

/** Starts a server that is gone when the test is over, and a client that knows nothing of HTTP. */
async function start(): Promise<{
  server: FaultServer;
  socket: Socket;
  until(text: string): Promise<string>;
}> {
  const server = await FaultServer.start({ document });
  const socket = connect(server.port, "127.0.0.1").on("error", () => {});
  onTestFinished(() => {
    socket.destroy();
    return server.close();
  });
  let received = "";
  socket.on("data", (data: Buffer) => {
    received += data.toString("latin1");
  });
  const until = async (text: string) => {
    while (!received.includes(text)) await once(socket, "data");
    return received;
  };
  return { server, socket, until };
}

describe("the fault server", () => {
  it("plays the planned faults in order, as often as planned, and then sends its document", async () => {
    const { server, socket, until } = await start();
    server.fail(faults.serverError({ status: 503 }), { times: 2 }).fail(faults.rateLimited(), { times: 1 });
    socket.write(request.repeat(4));
    const received = await until("%%EOF");
    expect(received.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(["503", "503", "429", "200"]);
  });

  it.each(["connection", "head"] as const)(
    "plays a fault at the %s once, as the answer to its request",
    async (moment) => {
      const { server, socket, until } = await start();
      server.fail(
        earlyFault("an early answer", moment, () => answer(413, "early")),
        { times: 1 },
      );
      socket.write(request.slice(0, -2));
      if (moment === "head") await until("early");
      socket.write(`{}${request}`);
      const received = await until("%%EOF");
      expect(received.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(["413", "200"]);
    },
  );

  it("sends exactly the planned bytes before it stalls, and keeps the connection", async () => {
    const { server, socket, until } = await start();
    server.fail(faults.stall({ afterBytes: 1_234 }));
    socket.write(request);
    const received = await until(Buffer.from(document).toString("latin1", 0, 1_234));
    expect(received).toHaveLength(received.indexOf("%PDF") + 1_234);
    expect([server.playing, server.openSockets]).toEqual([1, 1]);
    socket.destroy();
    await server.until(({ playing, openSockets }) => playing === 0 && openSockets === 0);
  });
});
