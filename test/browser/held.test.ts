import { resolveObjectURL } from "node:buffer";
import { ConfigurationError, NotFoundError, TruncatedPdfError } from "template-pdf";
import { type AnyPdf, download, objectUrl } from "template-pdf/browser";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Answer,
  cutOffAfter,
  pdfOf,
  rejectionOf,
  Service,
  strayRejections,
  withLength,
} from "../support/service.ts";

const pdf = pdfOf(5_000);
const named = withLength(pdf, { "content-disposition": 'attachment; filename="Invoice 7.pdf"' });

/** As much of a page as is used: it remembers what it was told to save. */
function stubPage() {
  const saved: { href: string; download: string; wasInPage: boolean }[] = [];
  const inPage = new Set<object>();
  const createElement = () => {
    const link = {
      href: "",
      download: "",
      hidden: false,
      click: () => saved.push({ href: link.href, download: link.download, wasInPage: inPage.has(link) }),
      remove: () => inPage.delete(link),
    };
    return link;
  };
  vi.stubGlobal("document", { createElement, body: { append: (link: object) => inPage.add(link) } });
  return { saved, inPage };
}

/** In a list, because awaiting the document on its way would give the one that has arrived. */
const generate = async (answer: Answer = named) =>
  [(await Service.start(answer)).client({ retry: { limit: 0 } }).generate("inv", {})] as const;

const blobOf = () => new Blob([new Uint8Array(pdf)]);

const bytesAt = async (url: string) => {
  const blob = resolveObjectURL(url);
  return blob && Buffer.from(await blob.arrayBuffer());
};

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("objectUrl", () => {
  it("leads to the whole document, with its type and name, until it is revoked", async () => {
    const held = await objectUrl((await generate())[0]);
    expect(held.url).toMatch(/^blob:/);
    expect([held.blob.type, held.filename]).toEqual(["application/pdf", "Invoice 7.pdf"]);
    expect(await bytesAt(held.url)).toEqual(pdf);
    held.revoke();
    held.revoke();
    expect(await bytesAt(held.url)).toBeUndefined();
  });

  it("takes a document that has arrived, and a Blob", async () => {
    const arrived = await objectUrl(await (await generate())[0]);
    expect(await bytesAt(arrived.url)).toEqual(pdf);
    const blob = await objectUrl(blobOf());
    expect([await bytesAt(blob.url), blob.filename]).toEqual([pdf, undefined]);
    for (const { revoke } of [arrived, blob]) revoke();
  });

  it("is revoked when its signal is aborted, and leaves no listener behind when it was revoked before", async () => {
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    const [one, other] = [
      await objectUrl(blobOf(), { signal: controller.signal }),
      await objectUrl(blobOf(), { signal: controller.signal }),
    ];
    remove.mockClear();
    one.revoke();
    expect(remove).toHaveBeenCalledTimes(1);
    controller.abort();
    expect(await bytesAt(other.url)).toBeUndefined();
    await expect(objectUrl(blobOf(), { signal: controller.signal })).rejects.toThrow("aborted");
  });

  it("gives up a document that is still on its way when its signal is aborted", async () => {
    const service = await Service.start(() => {});
    const controller = new AbortController();
    const held = objectUrl(service.client({}).generate("inv", {}), { signal: controller.signal });
    const { closed } = await service.request();
    controller.abort(new Error("the view went away"));
    await expect(held).rejects.toThrow("the view went away");
    await closed;
    // And one that comes too late.
    const late = service.client({}).generate("inv", {});
    await expect(objectUrl(late, { signal: controller.signal })).rejects.toThrow("the view went away");
  });

  it("is revoked at the end of `using`", async () => {
    const held = await objectUrl(blobOf());
    held[Symbol.dispose]();
    expect(await bytesAt(held.url)).toBeUndefined();
    expect(Object.keys(held).sort()).toEqual(["blob", "filename", "revoke", "url"]);
  });

  it("is made of nothing that is not whole", async () => {
    const create = vi.spyOn(URL, "createObjectURL");
    const [half] = await generate(cutOffAfter(pdf, 1_000));
    expect(await rejectionOf(objectUrl(half))).toBeInstanceOf(TruncatedPdfError);
    expect(create).not.toHaveBeenCalled();
    create.mockRestore();
  });

  it.each([
    ["nothing", undefined],
    ["bytes", pdf],
    ["an address", "blob:x"],
    ["null", null],
  ])("refuses %s", async (_, given) => {
    const error = await rejectionOf(objectUrl(given as unknown as AnyPdf));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain("Expected what `generate` gave");
  });

  it("says where there are no such addresses", async () => {
    vi.stubGlobal("URL", class {});
    await expect(objectUrl(new Blob([]))).rejects.toThrow("no URL.createObjectURL");
  });
});

describe("download", () => {
  it.each([
    ["the name given", "mine.pdf", "mine.pdf"],
    ["the name of the service", undefined, "Invoice 7.pdf"],
  ])("saves the whole document under %s", async (_, given, name) => {
    const { saved, inPage } = stubPage();
    await download((await generate())[0], given);
    expect(saved).toEqual([{ href: expect.stringMatching(/^blob:/), download: name, wasInPage: true }]);
    expect(inPage.size).toBe(0);
    expect(await bytesAt(saved[0]?.href ?? "")).toEqual(pdf);
  });

  it("falls back on a name, and takes what is shown already", async () => {
    const { saved } = stubPage();
    await download(blobOf());
    const held = await objectUrl((await generate())[0]);
    await download(held);
    held.revoke();
    expect(saved.map(({ download }) => download)).toEqual(["document.pdf", "Invoice 7.pdf"]);
    expect(await bytesAt(saved[1]?.href ?? "")).toEqual(pdf);
  });

  it("lets go of the document once the browser has had time to save it", async () => {
    const { saved } = stubPage();
    await download(blobOf());
    vi.advanceTimersByTime(39_999);
    expect(await bytesAt(saved[0]?.href ?? "")).toEqual(pdf);
    vi.advanceTimersByTime(1);
    expect(await bytesAt(saved[0]?.href ?? "")).toBeUndefined();
  });

  it("saves nothing of a document that fails", async () => {
    const { saved } = stubPage();
    const [missing] = await generate(({ response }) => void response.writeHead(404).end());
    expect(await rejectionOf(download(missing))).toBeInstanceOf(NotFoundError);
    expect(saved).toEqual([]);
  });

  it("says that it needs a page, and gives the document up", async () => {
    await expect(download(blobOf())).rejects.toThrow("On a server, use `saveTo`");
    const [pdf] = await generate(() => {});
    const stray = await strayRejections(async () => {
      await expect(download(pdf)).rejects.toThrow("On a server, use `saveTo`");
    });
    expect(stray).toEqual([]);
    await expect(pdf.bytes()).rejects.toBeInstanceOf(ConfigurationError);
  });

  it("refuses a name that is none", async () => {
    const { saved } = stubPage();
    const name = { filename: "x" } as unknown as string;
    await expect(download(blobOf(), name)).rejects.toThrow(
      "name of the download to be a string, got a value of type object",
    );
    expect(saved).toEqual([]);
  });
});
