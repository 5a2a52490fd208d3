import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fakePdf } from "../../src/testing/fake-pdf.ts";
import { eventuallyEquals } from "../support/eventually.ts";
import { type Answer, pdfOf, Service, saying, withLength } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { documentsFor } from "./connect.ts";

const caller = (signal = new AbortController().signal) => ({ signal, report() {} });

async function setUp(
  answer: Answer = withLength(pdfOf(2_000)),
  options: Parameters<typeof documentsFor>[2] = {},
) {
  const service = await Service.start(answer);
  const out = join(temporaryFolder(), "pdfs");
  return { service, out, documents: documentsFor(service, out, options) };
}

describe("documents", () => {
  it("are saved in a folder that is created, under the next free name", async () => {
    const { out, documents } = await setUp();
    const saved = [
      await documents.generate("invoice", {}, caller()),
      ...(await Promise.all([1, 2].map(() => documents.generate("invoice", {}, caller())))),
    ];
    expect(saved.map(({ path }) => path).sort()).toEqual(
      ["invoice-2.pdf", "invoice-3.pdf", "invoice.pdf"].map((name) => join(out, name)),
    );
    expect(readdirSync(out)).toHaveLength(3);
  });

  it("never replace a file or follow a link without --force", async () => {
    const { out, documents } = await setUp();
    const outside = join(temporaryFolder(), "outside.pdf");
    mkdirSync(out);
    writeFileSync(join(out, "invoice.pdf"), "mine");
    symlinkSync(outside, join(out, "invoice-2.pdf"));
    expect((await documents.generate("invoice", {}, caller())).path).toBe(join(out, "invoice-3.pdf"));
    expect(readFileSync(join(out, "invoice.pdf"), "utf8")).toBe("mine");
    expect(() => readFileSync(outside)).toThrow("ENOENT");
  });

  it("replace the earlier document of their template with --force, but no file outside of the folder", async () => {
    const { out, documents } = await setUp(undefined, { isReplacing: true });
    await documents.generate("invoice", {}, caller());
    expect((await documents.generate("invoice", {}, caller())).path).toBe(join(out, "invoice.pdf"));
    const outside = join(temporaryFolder(), "outside.pdf");
    writeFileSync(outside, "mine");
    symlinkSync(outside, join(out, "letter.pdf"));
    await expect(documents.generate("letter", {}, caller())).rejects.toThrow("points outside");
    expect(readFileSync(outside, "utf8")).toBe("mine");
    expect(readdirSync(out).sort()).toEqual(["invoice.pdf", "letter.pdf"]);
  });

  it.each(["../../etc/passwd", "a/b", "..", "C:\\x", ".hidden", "con"])(
    "stay in the folder if the uid is %j",
    async (uid) => {
      const { out, documents } = await setUp();
      const saved = await documents.generate(uid, {}, caller()).catch((error: Error) => error);
      if (!(saved instanceof Error)) expect(join(saved.path, "..")).toBe(out);
      expect(readdirSync(join(out, ".."))).toEqual(["pdfs"]);
    },
  );

  it("are counted and returned if they are small, and only saved if they are large", async () => {
    const small = await setUp(withLength(Buffer.from(fakePdf({ pages: 3 }))));
    expect(await small.documents.generate("a", {}, caller())).toMatchObject({
      pages: 3,
      pdf: expect.any(Buffer),
    });
    const large = await setUp(withLength(pdfOf(2 * 1024 * 1024)));
    const saved = await large.documents.generate("a", {}, caller());
    expect([saved.bytes, saved.pdf]).toEqual([2 * 1024 * 1024, undefined]);
  });

  it("are generated a few at a time, in turn, and beyond a limit not at all", async () => {
    const { service, documents } = await setUp(() => {});
    const all = Array.from({ length: 36 }, () => documents.generate("a", {}, caller()));
    await expect(documents.generate("a", {}, caller())).rejects.toThrow("36 documents are being generated");
    await service.request(3);
    for (let index = 0; index < all.length; index++) {
      expect(service.requests.length).toBeLessThanOrEqual(index + 4);
      const { response } = await service.request(index);
      response.end(pdfOf(2_000));
    }
    await Promise.all(all);
  });

  it("are refused after --limit documents", async () => {
    const { service, documents } = await setUp(undefined, { limit: 1 });
    await documents.generate("a", {}, caller());
    await expect(documents.generate("a", {}, caller())).rejects.toThrow("at most 1 documents");
    expect(service.requests).toHaveLength(1);
  });

  it("that are cancelled while they wait or arrive close their requests and leave no files", async () => {
    const { service, out, documents } = await setUp(({ response }) => {
      response.writeHead(200, { "content-length": "2000" });
      response.write("%PDF-1.7\n");
    });
    const controller = new AbortController();
    const all = Array.from({ length: 6 }, () => documents.generate("a", {}, caller(controller.signal)));
    await service.request(3);
    controller.abort(new Error("cancelled"));
    for (const each of all) await expect(each).rejects.toThrow("cancelled");
    await documents.settled();
    expect(readdirSync(out)).toEqual([]);
    expect(service.requests).toHaveLength(4);
    await Promise.all(service.requests.map(({ closed }) => closed));
  });

  it("that are truncated leave no files", async () => {
    const { out, documents } = await setUp(({ response }) => {
      response.writeHead(200, { "content-length": "2000" });
      response.write("%PDF-1.7\n", () => response.destroy());
    });
    await expect(documents.generate("a", {}, caller())).rejects.toThrow();
    await eventuallyEquals(() => readdirSync(out), []);
  });

  it("report what the emulator says instead of its response", async () => {
    const { documents } = await setUp(saying(500, "", { "x-request-id": "id-1" }), {
      remarkOn: (id) => (id === "id-1" ? "invoice.json:3:5: broken" : undefined),
    });
    await expect(documents.generate("a", {}, caller())).rejects.toThrow(/^invoice\.json:3:5: broken$/);
  });
});
