import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { Service } from "../support/service.ts";
import { emulate, generate, shareEmulator, textOf } from "./emulated.ts";

const letter = 'export default ({ name }) => ({ content: [{ text: "Dear " + name }] });';
// A valid image, so that only the access policy can prevent it from loading.
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const failing: Readonly<Record<string, readonly [template: string, reason: string]>> = {
  throws: ['export default () => { throw new Error("secret-detail"); };', "secret-detail"],
  rejects: ['export default async () => { throw new Error("secret-detail"); };', "secret-detail"],
  "returns-nothing": ["export default () => {};", "its function returned undefined"],
  "returns-null": ["export default () => null;", "its function returned null"],
  "names-a-missing-font": [
    'export default () => ({ content: "a", defaultStyle: { font: "Arial" } });',
    "Arial",
  ],
  "has-a-footer-that-throws": [
    'export default () => ({ content: "a", footer() { throw new Error("secret-detail"); } });',
    "secret-detail",
  ],
};

const shared = shareEmulator({
  "letter.mjs": letter,
  "επιστολή 1.mjs": letter.replace("export default (", "export default async ("),
  "linked.mjs": "export default ({ image }) => ({ images: { logo: image }, content: [{ image: 'logo' }] });",
  "late.mjs": `export default async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { content: "a", footer() { throw new Error("laid out"); } };
  };`,
  "logo.js": "{",
  "._letter.mjs": "{",
  "notes.txt": "",
  "shared.mjs/inner.mjs": "{",
  ...Object.fromEntries(Object.entries(failing).map(([uid, [template]]) => [`${uid}.mjs`, template])),
});

describe("startEmulator()", () => {
  it("renders a template file with the values of the call", async () => {
    const response = await generate(shared, "letter", { name: "Zoë £ Łucja Ωμέγα" });
    expect(response.status).toBe(200);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": 'attachment; filename="letter.pdf"',
      "content-length": String(bytes.byteLength),
    });
    expect(await readPdf(bytes)).toEqual({
      pages: 1,
      text: expect.stringContaining("Dear Zoë £ Łucja Ωμέγα"),
    });
  });

  it("awaits an async template, whose uid may be in any script", async () => {
    expect(await textOf(shared, "επιστολή 1", { name: "A" })).toContain("Dear A");
  });

  it("renders concurrent calls, each with its own values", async () => {
    const names = ["N1.", "N2.", "N3.", "N4."];
    const texts = await Promise.all(names.map((name) => textOf(shared, "letter", { name })));
    expect(texts).toEqual(names.map((name) => expect.stringContaining(`Dear ${name}`)));
  });

  it.each(["receipt", "../letter", "letter.mjs", "Letter", "__proto__", "notes", "logo", "shared"])(
    "responds with 404 for the uid %s, which has no template file",
    async (uid) => {
      const response = await generate(shared, uid);
      expect(response.status).toBe(404);
      const { detail } = await response.json();
      expect(detail).toMatch(/^There is no template with the uid ".*"\. This emulator has these templates: /);
      expect(detail.split("these templates:")[1]).not.toMatch(/notes|logo|shared|\._/);
    },
  );

  it("responds with 404 to a client whose base URL has a path", async () => {
    for (const path of ["/api/v1", "/prefix", "/api/v1/templates/letter"]) {
      const response = await generate({ ...shared, baseUrl: shared.baseUrl + path }, "letter");
      expect(response.status).toBe(404);
      expect(await response.text()).toContain("Remove /api/v1 from `baseUrl`");
    }
  });

  it("does not let a document access the network", async () => {
    const other = await Service.start(({ response }) => response.end(Buffer.from(pixel, "base64")));
    expect((await generate(shared, "linked", { image: `${other.baseUrl}/pixel.png` })).status).toBe(500);
    expect(String(shared.errors.at(-1))).toContain("Access to URL denied");
    expect(other.requests).toEqual([]);
  });

  it("accepts a file URL, creates a random API key, closes with `await using`, and prints why a template failed", async () => {
    const print = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => print.mockRestore());
    const templates = pathToFileURL(join(shared.folder, "templates"));
    let baseUrl: string;
    {
      await using emulator = await startEmulator({ templates });
      baseUrl = emulator.baseUrl;
      expect(emulator.apiKey).toMatch(/^dev_[\w-]{32}$/);
      expect(emulator.apiKey).not.toBe(shared.apiKey);
      expect((await generate({ ...emulator, apiKey: shared.apiKey }, "throws")).status).toBe(401);
      const id = (await generate(emulator, "throws")).headers.get("x-request-id");
      expect(print).toHaveBeenCalledExactlyOnceWith(
        expect.stringContaining(`POST /api/v1/templates/throws/generate-sync failed (x-request-id ${id})`),
        expect.objectContaining({ message: expect.stringMatching(/throws\.mjs:1:30: secret-detail$/) }),
      );
    }
    await expect(fetch(baseUrl)).rejects.toThrow();
  });

  it("loads TypeScript if Node supports it, and otherwise says what to do", async () => {
    const source = letter.replace("({ name })", "({ name }: { name: string })");
    const started = emulate({ "letter.ts": source });
    if ("typescript" in process.features && process.features.typescript) {
      expect((await generate(await started, "letter", { name: "Zoë" })).status).toBe(200);
    } else {
      await expect(started).rejects.toThrow(
        `letter.ts: ${process.version} does not load TypeScript. Run the emulator with Node 22.18 or later, or write letter.mjs`,
      );
    }
  });
});

describe("a template that fails", () => {
  it.each(Object.entries(failing))(
    "causes a 500 if it %s, and onError receives the reason",
    async (uid, [, reason]) => {
      const before = shared.errors.length;
      const response = await generate(shared, uid);
      const type = response.headers.get("content-type");
      expect([response.status, type]).toEqual([500, "application/problem+json"]);
      expect(await response.text()).not.toContain(reason);
      const message = expect.stringContaining(reason);
      expect(shared.errors.slice(before)).toEqual([expect.objectContaining({ message })]);
      expect((await generate(shared, "letter")).status).toBe(200);
    },
  );

  it("is not laid out after its caller has disconnected", async () => {
    const before = shared.errors.length;
    expect((await generate(shared, "late")).status).toBe(500);
    expect(shared.errors).toHaveLength(before + 1);
    await expect(generate(shared, "late", {}, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
    // The only thread runs this call after the aborted one.
    expect((await generate(shared, "letter")).status).toBe(200);
    expect(shared.errors).toHaveLength(before + 1);
  });
});

describe("startEmulator() with options", () => {
  const onCall = vi.fn();
  const emulator = shareEmulator({ "letter.mjs": letter }, () => ({
    ...{ host: "0.0.0.0", allowedHosts: ["pdf.test"], apiKeys: ["one", "two"], onCall },
    limits: { requestMs: 1_000 },
  }));

  it("accepts every key of `apiKeys` and returns the first as `apiKey`", async () => {
    expect(emulator.apiKey).toBe("one");
    const statusOf = async (apiKey: string) => (await generate({ ...emulator, apiKey }, "letter")).status;
    expect([await statusOf("one"), await statusOf("two"), await statusOf("three")]).toEqual([200, 200, 401]);
  });

  it("uses 127.0.0.1 in `baseUrl` if it listens on all addresses", () => {
    expect(emulator.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it("rejects other host names before it checks the API key, and reports the call", async () => {
    const { port } = new URL(emulator.baseUrl);
    const statusFor = async (host: string) => {
      const headers = { host, "content-type": "application/json" };
      const call = request({ port, path: "/api/v1/templates/letter/generate-sync", method: "POST", headers });
      const [incoming] = (await once(call.end("{}"), "response")) as [IncomingMessage];
      incoming.resume();
      return incoming.statusCode;
    };
    onCall.mockClear();
    expect(await statusFor(`attacker.test:${port}`)).toBe(421);
    expect(onCall).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ status: 421, detail: expect.stringContaining('"attacker.test"') }),
    );
    expect([await statusFor(`pdf.test:${port}`), await statusFor(`localhost:${port}`)]).toEqual([401, 401]);
  });

  it("closes the connection of a request that does not arrive within `limits.requestMs`", async () => {
    const socket = connect(Number(new URL(emulator.baseUrl).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Le");
    const [response] = (await once(socket, "data")) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1\.1 408 /);
    await once(socket, "close");
  });
});
