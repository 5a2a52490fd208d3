import { resolveObjectURL } from "node:buffer";
import { getEventListeners } from "node:events";
import { ConfigurationError, NotFoundError, type PendingPdf, TruncatedPdfError } from "template-pdf";
import { type AnyPdf, download, objectUrl } from "template-pdf/browser";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as answers from "../support/service.ts";
import { type Answer, pdfOf, rejectionOf, Service, strayRejections } from "../support/service.ts";

const pdf = pdfOf(5_000);
const blob = new Blob([new Uint8Array(pdf)]);
const disposition = { "content-disposition": 'attachment; filename="Invoice 7.pdf"' };

/** A page that records what it saves. */
function stubPage() {
  const saved: { href: string; download: string; wasInPage: boolean }[] = [];
  const inPage = new Set<object>();
  const createElement = () => {
    const link = {
      href: "",
      download: "",
      click: () => saved.push({ href: link.href, download: link.download, wasInPage: inPage.has(link) }),
      remove: () => inPage.delete(link),
    };
    return link;
  };
  vi.stubGlobal("document", { createElement, body: { append: (link: object) => inPage.add(link) } });
  return { saved, inPage };
}

/** A pending result, in a list because awaiting it would return its document. */
async function generate(answer: Answer = answers.withLength(pdf, disposition)): Promise<[PendingPdf]> {
  const service = await Service.start(answer);
  return [service.client({ retry: { limit: 0 } }).generate("inv", {})];
}

async function bytesAt(url: string | undefined): Promise<Buffer | undefined> {
  const found = resolveObjectURL(url ?? "");
  return found && Buffer.from(await found.arrayBuffer());
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("objectUrl()", () => {
  it("returns a URL for a pending result, a document or a Blob", async () => {
    const [pending] = await generate();
    for (const [given, filename, revoke] of [
      [pending, "Invoice 7.pdf", "revoke"],
      [await (await generate())[0], "Invoice 7.pdf", Symbol.dispose],
      [blob, undefined, Symbol.dispose],
    ] as const) {
      const held = await objectUrl(given);
      expect(held.url).toMatch(/^blob:/);
      expect(held.filename).toBe(filename);
      expect(Object.keys(held).sort()).toEqual(["blob", "filename", "revoke", "url"]);
      if (given !== blob) expect(held.blob.type).toBe("application/pdf");
      expect(await bytesAt(held.url)).toEqual(pdf);
      held[revoke]();
      held.revoke();
      expect(await bytesAt(held.url)).toBeUndefined();
    }
  });

  it("revokes the URL if its signal is aborted", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const [one, other] = [await objectUrl(blob, { signal }), await objectUrl(blob, { signal })];
    expect(getEventListeners(signal, "abort")).toHaveLength(2);
    one.revoke();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    controller.abort();
    expect(await bytesAt(other.url)).toBeUndefined();
    await expect(objectUrl(blob, { signal })).rejects.toThrow("aborted");
  });

  it("rejects and closes its connection if its signal is aborted", async () => {
    const service = await Service.start(() => {});
    const controller = new AbortController();
    const open = () => objectUrl(service.client().generate("inv", {}), { signal: controller.signal });
    const held = open();
    const { closed } = await service.request();
    controller.abort(new Error("the view was closed"));
    await expect(held).rejects.toThrow("the view was closed");
    await closed;
    await expect(open()).rejects.toThrow("the view was closed");
  });

  it("does not create a URL for a truncated document", async () => {
    const create = vi.spyOn(URL, "createObjectURL");
    const [half] = await generate(answers.cutOffAfter(pdf, 1_000));
    await expect(objectUrl(half)).rejects.toBeInstanceOf(TruncatedPdfError);
    expect(create).not.toHaveBeenCalled();
  });

  it.each([null, pdf, "blob:x"])("rejects a value that is not a document: %s", async (given) => {
    const error = await rejectionOf(objectUrl(given as unknown as AnyPdf));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain("Expected the result of `generate`");
  });

  it("rejects if the runtime cannot create object URLs", async () => {
    vi.stubGlobal("URL", class {});
    await expect(objectUrl(new Blob([]))).rejects.toThrow("it needs URL.createObjectURL");
  });
});

describe("download()", () => {
  it("saves the document through a temporary link, and revokes the object URL after 40 s", async () => {
    const { saved, inPage } = stubPage();
    await download((await generate())[0]);
    const href = expect.stringMatching(/^blob:/);
    expect(saved).toEqual([{ href, download: "Invoice 7.pdf", wasInPage: true }]);
    expect(inPage.size).toBe(0);
    vi.advanceTimersByTime(39_999);
    expect(await bytesAt(saved[0]?.href)).toEqual(pdf);
    vi.advanceTimersByTime(1);
    expect(await bytesAt(saved[0]?.href)).toBeUndefined();
  });

  it("uses the given file name, the service's file name or `document.pdf`, in that order", async () => {
    const { saved } = stubPage();
    const held = await objectUrl((await generate())[0]);
    await download(held, "mine.pdf");
    await download(held);
    await download(blob);
    held.revoke();
    expect(saved.map(({ download }) => download)).toEqual(["mine.pdf", "Invoice 7.pdf", "document.pdf"]);
    expect(await bytesAt(saved[1]?.href)).toEqual(pdf);
  });

  it("does not save a file if the request fails or the file name is not a string", async () => {
    const { saved } = stubPage();
    const [missing] = await generate(answers.saying(404));
    await expect(download(missing)).rejects.toBeInstanceOf(NotFoundError);
    await expect(download(blob, {} as string)).rejects.toThrow("`filename` to be a string");
    expect(saved).toEqual([]);
  });

  it("rejects outside a web page, and cancels the request", async () => {
    const message = "On a server, use `saveTo`";
    await expect(download(blob)).rejects.toThrow(message);
    const [pending] = await generate(() => {});
    const stray = await strayRejections(async () => {
      await expect(download(pending)).rejects.toThrow(message);
    });
    expect(stray).toEqual([]);
    await expect(pending.bytes()).rejects.toBeInstanceOf(ConfigurationError);
  });
});
