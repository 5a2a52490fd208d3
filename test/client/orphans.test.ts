import { describe, expect, it } from "vitest";
import { pdfOf, rejectionOf, Service, transports } from "../support/service.ts";
import { generate } from "./every-form.ts";

const pdf = pdfOf(4_000_000);

/** A document that nobody can reach any more must not keep its connection, or `close()` would wait for ever. */
describe.each(transports)("a document that nobody can reach, by %s, frees its connection:", (_, options) => {
  async function begun() {
    const service = await Service.start(({ response }) => {
      response.writeHead(200, { "content-length": pdf.length });
      response.write(pdf.subarray(0, 100_000));
    });
    return { service, pending: generate(service.client(options)) };
  }

  it.each([
    ["a status without a body", { status: 204 }],
    ["a status that does not exist", { status: 99 }],
    ["a header that cannot be sent", { headers: { "x-a": "b\r\nc: d" } }],
  ] as [string, ResponseInit][])("response() of %s, asked on the pending result", async (_title, init) => {
    const { service, pending } = await begun();
    expect(await rejectionOf(pending.response(init))).toBeInstanceOf(Error);
    await (await service.request()).closed;
  });

  it("saveTo() of a path that cannot be written, asked later", async () => {
    const { service, pending } = await begun();
    const { closed } = await service.request();
    expect(await rejectionOf(pending.saveTo("/nowhere/at/all.pdf"))).toMatchObject({ code: "not_saved" });
    await closed;
  });

  it("a loop over the pending result that is left before it began", async () => {
    const { service, pending } = await begun();
    const { closed } = await service.request();
    await pending[Symbol.asyncIterator]().return?.();
    await closed;
  });

  it("a loop over the document that is left before it began", async () => {
    const { service, pending } = await begun();
    const document = await pending;
    await document[Symbol.asyncIterator]().return?.();
    await (await service.request()).closed;
  });

  it("but not while another form of it is being read", async () => {
    const service = await Service.start(({ response }) => response.end(pdf));
    const pending = generate(service.client(options));
    const bytes = pending.bytes();
    await pending[Symbol.asyncIterator]().return?.();
    expect(await rejectionOf(pending.response({ status: 99 }))).toBeInstanceOf(Error);
    expect((await bytes).length).toBe(pdf.length);
  });
});

describe("one signal for many calls", () => {
  it("has one listener however many are under way, and makes Node warn of nothing", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on("warning", warn);
    const service = await Service.start(({ response }) => response.end(pdfOf(2_000)));
    const client = service.client();
    const controller = new AbortController();
    const added: string[] = [];
    const add = controller.signal.addEventListener.bind(controller.signal);
    controller.signal.addEventListener = (...args: Parameters<typeof add>) => {
      added.push(args[0]);
      add(...args);
    };
    const calls = Array.from({ length: 30 }, () => generate(client, { signal: controller.signal }).bytes());
    expect((await Promise.all(calls)).map(({ length }) => length)).toEqual(Array(30).fill(2_000));
    // Warnings are told in a turn of their own.
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warn);
    expect(warnings).toEqual([]);
    expect(added).toEqual(["abort"]);
  });

  it("aborts them all with its reason", async () => {
    const service = await Service.start(() => {});
    const client = service.client();
    const controller = new AbortController();
    const calls = Array.from({ length: 15 }, () =>
      rejectionOf(generate(client, { signal: controller.signal }).bytes()),
    );
    await service.request();
    controller.abort("enough");
    expect(await Promise.all(calls)).toEqual(Array(15).fill("enough"));
  });
});
