import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { readPdf } from "../support/pdf-text.ts";
import { emulate, generate } from "./emulated.ts";
import { templateFolder } from "./template-folder.ts";

const letter = 'export default ({ name }) => ({ content: [{ text: "Dear " + name }] });';

describe("startEmulator", () => {
  it("renders a template file with the values of the call", async () => {
    const response = await generate(await emulate({ "letter.mjs": letter }), "letter", {
      name: "Zoë £ Łucja Ωμέγα",
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="letter.pdf"');
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get("content-length")).toBe(String(bytes.byteLength));
    expect(await readPdf(bytes)).toEqual({
      pages: 1,
      text: expect.stringContaining("Dear Zoë £ Łucja Ωμέγα"),
    });
  });

  it("awaits an async template, and serves uids of any script from a file URL", async () => {
    const folder = await templateFolder({
      "επιστολή 1.mjs": letter.replace("export default (", "export default async ("),
    });
    const emulator = await startEmulator({ templates: pathToFileURL(folder) });
    onTestFinished(() => emulator.close());
    expect((await generate(emulator, "επιστολή 1", { name: "A" })).status).toBe(200);
  });

  it("loads TypeScript where Node does, and else says what to do", async () => {
    const source = letter.replace("({ name })", "({ name }: { name: string })");
    const started = emulate({ "letter.ts": source });
    if ("typescript" in process.features && process.features.typescript) {
      expect((await generate(await started, "letter", { name: "Zoë" })).status).toBe(200);
    } else {
      await expect(started).rejects.toThrow(
        `letter.ts: ${process.version} loads no TypeScript. Run the emulator with Node 22.18 or later, or write letter.mjs`,
      );
    }
  });

  it("renders many calls at once, each with its own values", async () => {
    const emulator = await emulate({ "letter.mjs": letter });
    const texts = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const response = await generate(emulator, "letter", { name: `N${index}.` });
        return (await readPdf(new Uint8Array(await response.arrayBuffer()))).text;
      }),
    );
    texts.forEach((text, index) => {
      expect(text).toContain(`Dear N${index}.`);
    });
  });

  it("leaves sub-folders, hidden files and other files alone", async () => {
    const folder = await templateFolder({
      "letter.mjs": letter,
      "logo.js": "{",
      "._letter.mjs": "{",
      "notes.txt": "",
    });
    await mkdir(join(folder, "shared.mjs"));
    await writeFile(join(folder, "shared.mjs", "x.mjs"), "{");
    const emulator = await startEmulator({ templates: folder });
    onTestFinished(() => emulator.close());
    expect(await (await generate(emulator, "notes", {})).json()).toMatchObject({
      status: 404,
      detail: 'There is no template with the uid "notes". This emulator has these templates: letter.',
    });
  });

  it("answers an unknown uid with 404", async () => {
    const emulator = await emulate({ "letter.mjs": letter });
    for (const uid of ["receipt", "../letter", "letter.mjs", "Letter", "__proto__"]) {
      expect([uid, (await generate(emulator, uid, {})).status]).toEqual([uid, 404]);
    }
  });

  it("makes up a key, another each time, and lets no other pass", async () => {
    const emulators = await Promise.all([
      emulate({ "letter.mjs": letter }),
      emulate({ "letter.mjs": letter }),
    ]);
    expect(emulators[0].apiKey).toMatch(/^dev_[\w-]{32}$/);
    expect(emulators[0].apiKey).not.toBe(emulators[1].apiKey);
    expect((await generate({ ...emulators[0], apiKey: emulators[1].apiKey }, "letter", {})).status).toBe(401);
  });

  it("takes every key it is given, and names the first", async () => {
    const emulator = await emulate({ "letter.mjs": letter }, { apiKeys: ["one", "two"] });
    expect(emulator.apiKey).toBe("one");
    for (const [apiKey, status] of [
      ["one", 200],
      ["two", 200],
      ["three", 401],
    ] as const) {
      expect((await generate({ ...emulator, apiKey }, "letter", {})).status).toBe(status);
    }
  });

  it("listens where it is told", async () => {
    const { baseUrl } = await emulate({ "letter.mjs": letter });
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const everywhere = await emulate({ "letter.mjs": letter }, { host: "0.0.0.0" });
    expect(everywhere.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await generate(everywhere, "letter", {})).status).toBe(200);
  });

  it("refuses the names of other hosts before it looks at the key, and reports that", async () => {
    const onCall = vi.fn();
    const emulator = await emulate({ "letter.mjs": letter }, { onCall, allowedHosts: ["pdf.test"] });
    const { port } = new URL(emulator.baseUrl);
    const statusFor = async (host: string) => {
      const path = "/api/v1/templates/letter/generate-sync";
      const call = request({
        port,
        path,
        method: "POST",
        headers: { host, "content-type": "application/json" },
      });
      const [incoming] = (await once(call.end("{}"), "response")) as [IncomingMessage];
      incoming.resume();
      return incoming.statusCode;
    };
    expect(await statusFor(`attacker.test:${port}`)).toBe(421);
    expect(onCall).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ status: 421, detail: expect.stringContaining('"attacker.test"') }),
    );
    // These two are asked for the key.
    expect(await statusFor(`pdf.test:${port}`)).toBe(401);
    expect(await statusFor(`localhost:${port}`)).toBe(401);
  });

  it("closes the connection of a request that does not arrive in time", async () => {
    const emulator = await emulate({ "letter.mjs": letter }, { limits: { requestMs: 200 } });
    const socket = connect(Number(new URL(emulator.baseUrl).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Le");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 /);
    await once(socket, "close");
  });

  it("lives at the root, and says so to a client whose base URL goes further", async () => {
    const emulator = await emulate({ "letter.mjs": letter });
    for (const prefix of ["/api/v1", "/prefix"]) {
      const further = { ...emulator, baseUrl: emulator.baseUrl + prefix };
      const response = await generate(further, "letter", { name: "Zoë" });
      expect(response.status).toBe(404);
      expect(await response.text()).toContain("End `baseUrl` before /api/v1");
    }
  });

  it("ends with `await using`", async () => {
    let baseUrl: string;
    {
      await using emulator = await startEmulator({
        templates: await templateFolder({ "letter.mjs": letter }),
      });
      baseUrl = emulator.baseUrl;
      expect((await generate(emulator, "letter", {})).status).toBe(200);
    }
    await expect(fetch(baseUrl)).rejects.toThrow();
  });
});

describe("a template that fails", () => {
  it.each([
    ["throws", 'export default () => { throw new Error("secret-detail"); };', "secret-detail"],
    ["rejects", 'export default async () => { throw new Error("secret-detail"); };', "secret-detail"],
    ["returns nothing", "export default () => {};", "its function returned undefined"],
    ["returns null", "export default () => null;", "its function returned null"],
    [
      "names a font that is not there",
      'export default () => ({ content: "a", defaultStyle: { font: "Arial" } });',
      "Arial",
    ],
    [
      "has a footer that throws",
      'export default () => ({ content: "a", footer() { throw new Error("footer"); } });',
      "footer",
    ],
  ])("is a bare 500 when it %s, and the reason goes to onError", async (_case, broken, reason) => {
    const onError = vi.fn();
    const response = await generate(await emulate({ "broken.mjs": broken }, { onError }), "broken", {});
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(text).not.toContain(reason);
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringContaining(reason) }),
      expect.objectContaining({ method: "POST" }),
      response.headers.get("x-request-id"),
    );
  });

  it("is printed to standard error by default", async () => {
    const print = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => print.mockRestore());
    const emulator = await emulate({
      "broken.mjs": "export default () => { throw new Error('the reason'); };",
    });
    const response = await generate(emulator, "broken", {});
    expect(print).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining(
        `POST /api/v1/templates/broken/generate-sync failed (x-request-id ${response.headers.get("x-request-id")})`,
      ),
      expect.objectContaining({ message: expect.stringMatching(/broken\.mjs:1:30: the reason$/) }),
    );
  });

  it("is not even laid out once its caller has left", async () => {
    const onError = vi.fn();
    const late = `export default async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { content: "a", footer() { throw new Error("laid out"); } };
    };`;
    const emulator = await emulate({ "late.mjs": late }, { onError });
    expect((await generate(emulator, "late", {})).status).toBe(500);
    expect(onError).toHaveBeenCalledTimes(1);
    await expect(generate(emulator, "late", {}, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(onError).toHaveBeenCalledTimes(1);
  });

  it("does not harm the next call", async () => {
    const emulator = await emulate(
      { "broken.mjs": "export default () => {};", "letter.mjs": letter },
      { onError() {} },
    );
    expect((await generate(emulator, "broken", {})).status).toBe(500);
    expect((await generate(emulator, "letter", {})).status).toBe(200);
  });
});

describe("a document", () => {
  // A whole picture, so that only the policy stands in the way of it.
  const pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const picture = "export default ({ image }) => ({ content: [{ image }] });";

  it("may hold pictures as data URLs", async () => {
    const emulator = await emulate({ "picture.mjs": picture });
    expect((await generate(emulator, "picture", { image: `data:image/png;base64,${pixel}` })).status).toBe(
      200,
    );
  });

  it("cannot reach the network", async () => {
    const onError = vi.fn();
    const visited = vi.fn();
    const other = createServer((_incoming, outgoing) => {
      visited();
      outgoing.end(Buffer.from(pixel, "base64"));
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const linked =
      "export default ({ image }) => ({ images: { logo: image }, content: [{ image: 'logo' }] });";
    const emulator = await emulate({ "linked.mjs": linked }, { onError });
    const image = `http://127.0.0.1:${(other.address() as AddressInfo).port}/pixel.png`;
    expect((await generate(emulator, "linked", { image })).status).toBe(500);
    expect(String(onError.mock.calls[0]?.[0])).toContain("Access to URL denied");
    expect(visited).not.toHaveBeenCalled();
  });
});

describe("startEmulator refuses", () => {
  it.each([
    ["no options", undefined, "Expected an object of options"],
    [
      "an unknown option",
      { templates: "x", prot: 1 },
      "Unknown option `prot`. The emulator knows: templates, port, host, allowedHosts, apiKeys, images, fonts, limits, faults, latency, onCall, onError.",
    ],
    ["no folder", {}, "Expected `templates` to be a folder"],
    ["an empty path", { templates: "" }, "Expected `templates` to be a folder"],
    ["a web URL", { templates: new URL("https://x.test/") }, "Expected `templates` to be a folder"],
    ["a port out of range", { templates: "x", port: 65_536 }, "0 to 65535, got 65536"],
    ["a negative port", { templates: "x", port: -1 }, "got -1"],
    ["a port that is no number", { templates: "x", port: "80" }, "0 to 65535"],
    ["an empty host", { templates: "x", host: "" }, "Expected `host`"],
    ["a lone name of a host", { templates: "x", allowedHosts: "a.test" }, "an array of host names"],
    ...["http://a.test", "a.test:80", "a.test/b", "a@b.test", "*.test", "a b", "", "[a.test]"].map(
      (name): [string, object, string] => [
        `${JSON.stringify(name)} as the name of a host`,
        { templates: "x", allowedHosts: ["b.test", name] },
        `Expected \`allowedHosts\` to hold host names such as "pdf.test", without a scheme, a port or a path, got ${JSON.stringify(name)}.`,
      ],
    ),
    ["a number as the name of a host", { templates: "x", allowedHosts: [1] }, "got 1"],
    ["no key at all", { templates: "x", apiKeys: [] }, "at least one key. Leave it out"],
    ["a lone key", { templates: "x", apiKeys: "key" }, "an array of strings"],
    ["a key no header can carry", { templates: "x", apiKeys: ["a b"] }, "visible ASCII"],
    ["an onError that is no function", { templates: "x", onError: true }, "Expected `onError`"],
    ["an onCall that is no function", { templates: "x", onCall: true }, "Expected `onCall`"],
    ["images that are no folder", { templates: "x", images: 1 }, "Expected `images` to be a folder"],
    ["fonts on the web", { templates: "x", fonts: new URL("https://x.test/") }, "Expected `fonts`"],
    ["limits that are none", { templates: "x", limits: 5 }, "Expected `limits`"],
    [
      "an unknown limit",
      { templates: "x", limits: { pages: 1 } },
      "`limits` knows: maxBodyBytes, requestMs, renderMs",
    ],
    ["a time that is none", { templates: "x", limits: { renderMs: Number.NaN } }, "limits.renderMs"],
    ["a time beyond all timers", { templates: "x", limits: { renderMs: 2 ** 31 } }, "limits.renderMs"],
    ["no time for a request", { templates: "x", limits: { requestMs: 0 } }, "limits.requestMs"],
    ["no threads", { templates: "x", limits: { threads: 0 } }, "limits.threads"],
    ["no bytes", { templates: "x", limits: { maxBodyBytes: 0 } }, "limits.maxBodyBytes"],
    ["a fault that is none", { templates: "x", faults: "never" }, "never"],
    ["a latency that is none", { templates: "x", latency: "soon" }, "soon"],
  ])("%s", async (_wrong, options, message) => {
    await expect(startEmulator(options as never)).rejects.toThrow(message);
  });

  it.each([
    ["an empty folder", {}, /holds no template\. Add a file <uid>\.json/],
    ["a folder without a template file", { "package.json": "{}", "a.d.ts": "" }, /holds no template/],
    [
      "a template without a default export",
      { "a.mjs": "export const b = 1;" },
      /a\.mjs: its default export is no function \(found: undefined\)/,
    ],
    [
      "a template that is no function",
      { "a.mjs": "export default {};" },
      /found: object.*export default \(values\)/,
    ],
    ["a template that throws", { "a.mjs": '\nthrow new Error("no logo");' }, /a\.mjs:2:7: no logo/],
    [
      "a module that does not parse",
      { "a.mjs": "export default (\n  ;\n);" },
      /a\.mjs:2:3: Unexpected token ';'/,
    ],
    [
      "a definition that does not parse",
      { "a.json": '{\n "content": }' },
      /a\.json:2:13: a value should stand here/,
    ],
    [
      "a definition with a placeholder left open",
      { "a.json": '{"content":["{{a"]}' },
      /a\.json, content\[0\]: /,
    ],
    ["a JSON Schema that is none", { "a.json": '{"content":"a","schema":5}' }, /a\.json, schema: /],
    [
      "two files for one uid",
      { "a.json": '{"content":"a"}', "a.mjs": letter },
      /template a: a\.json and a\.mjs\. Rename/,
    ],
  ])("%s", async (_wrong, files, message) => {
    await expect(startEmulator({ templates: await templateFolder(files) })).rejects.toThrow(message);
  });

  it("several broken templates, each with a line of its own", async () => {
    const templates = await templateFolder({ "a.mjs": "export default 1;", "b.json": "{", "c.mjs": letter });
    const error: Error = await startEmulator({ templates }).catch((reason) => reason);
    expect(error.message.split("\n")).toEqual([
      expect.stringMatching(/a\.mjs: its default export is no function/),
      expect.stringMatching(/b\.json:1:2: /),
    ]);
  });

  it("a folder that is not there, or is a file", async () => {
    const folder = await templateFolder({ "letter.mjs": letter });
    await expect(startEmulator({ templates: join(folder, "none") })).rejects.toThrow(
      /none does not exist\. Name the folder/,
    );
    await expect(startEmulator({ templates: join(folder, "letter.mjs") })).rejects.toThrow(
      /is not a folder\. Name the folder/,
    );
  });
});
