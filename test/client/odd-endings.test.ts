import { join } from "node:path";
import { ConnectionError, SaveError, type TemplatePdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { fullPipe } from "../support/full-pipe.ts";
import { hasPipeFiles } from "../support/platform.ts";
import { beginning, pdfOf, rejectionOf, Service, saying, turns, withLength } from "../support/service.ts";
import { generate, temporaryFolder } from "./every-form.ts";
import { expectTimeout } from "./timing.ts";

const pdf = pdfOf(100_000);
const promised = { "content-length": String(pdf.length) };

describe("a call that ends in an odd way", () => {
  it("tells once of a bad path that is found while the document breaks, and can be closed", async () => {
    const failures: unknown[] = [];
    const service = await Service.start(beginning(pdf.subarray(0, 50_000), promised));
    const hooks = { error: ({ error }: { error: unknown }) => failures.push(error) };
    const client = service.client({ retry: { limit: 3 }, hooks });
    const pending = generate(client);
    // Past the moment in which a path is checked before anything is sent.
    const { socket } = await service.request();
    const saving = rejectionOf(pending.saveTo(join(temporaryFolder(), "no-such-folder", "a.pdf")));
    socket.destroy();
    const error = await saving;
    expect(SaveError.is(error)).toBe(true);
    await client.close();
    expect(failures).toEqual([error]);
  });

  it.runIf(hasPipeFiles).each([2_000, 5_000_000])(
    "holds `total` for a file of %d bytes that nobody takes",
    async (size) => {
      const pipe = fullPipe();
      const service = await Service.start(withLength(pdfOf(size)));
      const client = service.client({ timeouts: { total: 300 } });
      const document = await generate(client);
      await turns(20);
      const saving = rejectionOf(document.saveTo(pipe.path));
      setTimeout(() => pipe.close(), 500);
      expectTimeout(await saving, "total", 300);
      await client.close();
    },
  );

  it("counts what has passed of `total` before it waits to try again", async () => {
    const service = await Service.start(async ({ response }) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      response.writeHead(503, { "retry-after": "0.4" }).end();
    });
    const client = service.client({ retry: {}, timeouts: { total: 600 } });
    const error = (await rejectionOf(generate(client).bytes())) as Error;
    expect(error.message).toContain("nothing would be left of `timeouts.total`");
    expect(service.requests).toHaveLength(1);
  });

  it("tells of the attempt before, where the key source fails on the next", async () => {
    const service = await Service.start(saying(503, "", { "retry-after": "0" }));
    let asked = 0;
    const apiKey = () => {
      if (++asked > 1) throw new Error("the vault is shut");
      return "key-of-the-tests";
    };
    const error = (await rejectionOf(generate(service.client({ apiKey, retry: {} })).bytes())) as Error;
    expect(error).toMatchObject({ code: "invalid_configuration", attempts: 1, cause: { status: 503 } });
    expect(error.message).toContain("catch it in that function");
  });

  it("leaves no limit armed where a fetch gives the call up while it is called", async () => {
    const service = await Service.start(() => {});
    const controller = new AbortController();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const client = service.client({
      fetch: () => {
        controller.abort("enough");
        return new Promise(() => {});
      },
    });
    expect(await rejectionOf(generate(client, { signal: controller.signal }).bytes())).toBe("enough");
    expect(timers()).toBe(before);
  });

  it("leaves the signal of a fetch alone, once the document was read", async () => {
    const service = await Service.start(withLength(pdf));
    let signal: AbortSignal | undefined;
    const client = service.client({
      fetch: (url, init) => {
        signal = init.signal;
        return fetch(url, init);
      },
    });
    const document = await generate(client);
    await document.bytes();
    await document.cancel();
    expect(signal?.aborted).toBe(false);
  });

  it("is told of, though what the fetch rejects with refuses to be read", async () => {
    const service = await Service.start(() => {});
    const unreadable = Object.defineProperty(new Error(), "message", {
      get: () => {
        throw new Error("not to be read");
      },
    });
    const client = service.client({ fetch: () => Promise.reject(unreadable) });
    const error = (await rejectionOf(generate(client).bytes())) as TemplatePdfError;
    expect(ConnectionError.is(error)).toBe(true);
    expect(error.message).toContain("an error that cannot be read");
    await client.close();
  });
});
