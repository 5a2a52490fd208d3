import { link, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { generate, stages, temporaryFolder } from "../client/every-form.ts";
import {
  type Answer,
  asTaken,
  beginning,
  inChunks,
  pdfOf,
  rejectionOf,
  Service,
  saying,
  untilClose,
  withLength,
} from "../support/service.ts";

const pdf = pdfOf(200_000);

describe("saveTo()", () => {
  describe.each(stages)("on %s", (stage) => {
    const save = async (answer: Answer, path: string | URL) => {
      const service = await Service.start(answer);
      const pending = generate(service.client());
      return stage === "the pending result" ? pending.saveTo(path) : (await pending).saveTo(path);
    };

    it.each([
      ["told", withLength(pdf)],
      ["in chunks", inChunks(pdf)],
      ["until close", untilClose(pdf)],
    ] as const)("writes the whole document and nothing beside it: %s", async (_, answer) => {
      const folder = temporaryFolder();
      const path = join(folder, "invoice.pdf");
      expect(await save(answer, path)).toEqual({ path, bytes: pdf.length });
      expect(pdf.equals(await readFile(path))).toBe(true);
      expect(await readdir(folder)).toEqual(["invoice.pdf"]);
    });

    it("takes a file URL, and a path relative to the working directory", async () => {
      const path = join(temporaryFolder(), "ünï #1%.pdf");
      expect(await save(withLength(pdf), pathToFileURL(path))).toEqual({ path, bytes: pdf.length });
      expect(pdf.equals(await readFile(path))).toBe(true);
      const other = relative(process.cwd(), join(temporaryFolder(), "other.pdf"));
      expect(await save(withLength(pdf), other)).toEqual({ path: other, bytes: pdf.length });
      expect(pdf.equals(await readFile(other))).toBe(true);
    });

    it.each([
      ["is refused", saying(404)],
      ["is no PDF", saying(200, "<html>")],
      ["is cut off", beginningThenClosing(pdf.subarray(0, 150_000))],
      ["has no end", withLength(pdf.subarray(0, 150_000))],
    ])(
      "leaves an existing file untouched, and nothing beside it, where the document %s",
      async (_, answer) => {
        const folder = temporaryFolder();
        const path = join(folder, "invoice.pdf");
        await writeFile(path, "the old invoice");
        const { ino, mtimeMs } = await stat(path);
        expect(await rejectionOf(save(answer, path))).toMatchObject({ attempts: 1 });
        expect(await readFile(path, "utf8")).toBe("the old invoice");
        expect(await stat(path)).toMatchObject({ ino, mtimeMs });
        expect(await readdir(folder)).toEqual(["invoice.pdf"]);
      },
    );
  });

  it("shows nothing under the name before the document is whole", async () => {
    const service = await Service.start(
      beginning(pdf.subarray(0, 150_000), { "content-length": `${pdf.length}` }),
    );
    const folder = temporaryFolder();
    const path = join(folder, "invoice.pdf");
    const saving = generate(service.client()).saveTo(path);
    await sizeReaches(folder, 150_000);
    expect(await readdir(folder)).not.toContain("invoice.pdf");
    (await service.request()).response.end(pdf.subarray(150_000));
    expect(await saving).toEqual({ path, bytes: pdf.length });
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("writes 16 MiB, byte by byte the same", async () => {
    const large = pdfOf(16 * 1024 * 1024);
    for (const answer of [asTaken(large), inChunks(large)]) {
      const service = await Service.start(answer);
      const path = join(temporaryFolder(), "large.pdf");
      await generate(service.client()).saveTo(path);
      expect(large.equals(await readFile(path))).toBe(true);
    }
  });

  it("leaves one whole file where 50 calls save under one name", async () => {
    const service = await Service.start(({ body, ...received }) => {
      const { size } = JSON.parse(body) as { size: number };
      inChunks(pdfOf(size))({ body, ...received });
    });
    const client = service.client();
    const folder = temporaryFolder();
    const path = join(folder, "invoice.pdf");
    const sizes = Array.from({ length: 50 }, (_, index) => 50_000 + index);
    const saved = await Promise.all(sizes.map((size) => client.generate("uid", { size }).saveTo(path)));
    expect(saved.map(({ bytes }) => bytes)).toEqual(sizes);
    const content = await readFile(path);
    expect(pdfOf(content.length).equals(content)).toBe(true);
    expect(await readdir(folder)).toEqual(["invoice.pdf"]);
  });

  it("keeps apart what is saved under many names at once", async () => {
    const service = await Service.start(({ body, ...received }) => {
      const { size } = JSON.parse(body) as { size: number };
      withLength(pdfOf(size))({ body, ...received });
    });
    const client = service.client();
    const folder = temporaryFolder();
    const sizes = Array.from({ length: 50 }, (_, index) => 60_000 + index * 100);
    await Promise.all(
      sizes.map((size) => client.generate("uid", { size }).saveTo(join(folder, `${size}.pdf`))),
    );
    for (const size of sizes)
      expect(pdfOf(size).equals(await readFile(join(folder, `${size}.pdf`)))).toBe(true);
    expect(await readdir(folder)).toHaveLength(50);
  });
});

describe("saveTo()", () => {
  it("leaves a reader of the old file with the old content", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const path = join(folder, "invoice.pdf");
    await writeFile(path, "the old invoice");
    await link(path, join(folder, "kept.pdf"));
    await generate(service.client()).saveTo(path);
    expect(await readFile(join(folder, "kept.pdf"), "utf8")).toBe("the old invoice");
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("reads a relative path at once", async () => {
    const before = process.cwd();
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    // A worker thread, in which some runners run tests, has no folder of its own to change.
    const cwd = process.cwd;
    try {
      process.cwd = () => first;
      const service = await Service.start(withLength(pdf));
      const saving = generate(service.client()).saveTo("invoice.pdf");
      process.cwd = () => second;
      expect(await saving).toEqual({ path: "invoice.pdf", bytes: pdf.length });
      expect((await stat(join(first, "invoice.pdf"))).size).toBe(pdf.length);
    } finally {
      process.cwd = cwd;
    }
    expect(process.cwd()).toBe(before);
  });

  it("saves an empty body that nobody verifies as an empty file", async () => {
    const service = await Service.start(saying(200));
    const path = join(temporaryFolder(), "empty.pdf");
    expect(await generate(service.client({ verify: false })).saveTo(path)).toEqual({ path, bytes: 0 });
    expect(await readFile(path)).toHaveLength(0);
  });

  it("is not limited by maxBytes", async () => {
    const service = await Service.start(withLength(pdf));
    const path = join(temporaryFolder(), "invoice.pdf");
    expect(await generate(service.client({ maxBytes: 1 })).saveTo(path)).toEqual({ path, bytes: pdf.length });
  });

  it("leaves the document to another path where the first cannot be written", async () => {
    const service = await Service.start(withLength(pdf));
    const folder = temporaryFolder();
    const document = await generate(service.client());
    expect(await rejectionOf(document.saveTo(join(folder, "missing", "a.pdf")))).toMatchObject({
      code: "not_saved",
    });
    const path = join(folder, "a.pdf");
    expect(await document.saveTo(path)).toEqual({ path, bytes: pdf.length });
  });
});

function beginningThenClosing(part: Buffer): Answer {
  return ({ response, socket }) => {
    response.writeHead(200, { "content-length": pdf.length });
    response.write(part, () => socket.end());
  };
}

/** Waits until a file in a folder has at least so many bytes; one that is gone again was only a trial. */
async function sizeReaches(folder: string, bytes: number): Promise<void> {
  for (;;) {
    for (const name of await readdir(folder)) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      if (found && found.size >= bytes) return;
    }
  }
}
