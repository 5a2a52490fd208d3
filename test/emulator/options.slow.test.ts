import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startEmulator } from "../../src/emulator/index.ts";
import { rejectionOf } from "../support/service.ts";
import { emulate, generate, shareEmulator, templateFolder } from "./emulated.ts";

const throwing = 'export default () => { throw Error("no"); };';
const files = { "letter.json": '{"content":"a"}', "throws.mjs": throwing };
const onCall = vi.fn();
const emulator = shareEmulator(files, () => ({
  ...{ host: "0.0.0.0", allowedHosts: ["pdf.test"], apiKeys: ["one", "two"], onCall },
  limits: { requestMs: 5_000 },
}));

describe("startEmulator()", () => {
  it("accepts every key in `apiKeys`, and returns the first key as `apiKey`", async () => {
    expect(emulator.apiKey).toBe("one");
    expect(emulator.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const statusOf = async (apiKey: string) => (await generate({ ...emulator, apiKey }, "letter")).status;
    expect({
      one: await statusOf("one"),
      two: await statusOf("two"),
      three: await statusOf("three"),
    }).toEqual({ one: 200, two: 200, three: 401 });
  });

  it("rejects a call to an unknown host name before checking the API key", async () => {
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
    const refused = { status: 421, detail: expect.stringContaining('"attacker.test"') };
    expect(onCall.mock.calls).toMatchObject([[refused]]);
    expect({
      ofName: await statusFor(`pdf.test:${port}`),
      ofLocalhost: await statusFor(`localhost:${port}`),
    }).toEqual({ ofName: 401, ofLocalhost: 401 });
  });

  it("closes the connection if a complete request does not arrive within `limits.requestMs`", async () => {
    const socket = connect(Number(new URL(emulator.baseUrl).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Le");
    const [response] = (await once(socket, "data")) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1\.1 408 /);
    await once(socket, "close");
  });

  it("accepts a file URL, and creates a random API key", async () => {
    const print = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => print.mockRestore());
    const templates = pathToFileURL(join(emulator.folder, "templates"));
    let baseUrl: string;
    {
      await using other = await startEmulator({ templates, limits: { threads: 1 } });
      baseUrl = other.baseUrl;
      expect(other.apiKey).toMatch(/^dev_[\w-]{32}$/);
      expect((await generate({ ...other, apiKey: "one" }, "throws")).status).toBe(401);
      const id = (await generate(other, "throws")).headers.get("x-request-id");
      expect(print).toHaveBeenCalledExactlyOnceWith(
        expect.stringContaining(`POST /api/v1/templates/throws/generate-sync failed (x-request-id ${id})`),
        expect.objectContaining({ message: expect.stringMatching(/throws\.mjs:1:30: no$/) }),
      );
    }
    // A new connection: `fetch` may still hold one that the server has just closed.
    const [error] = await once(connect(Number(new URL(baseUrl).port), "127.0.0.1"), "error");
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("loads TypeScript templates if Node supports TypeScript, and otherwise throws an error", async () => {
    const started = emulate({ "letter.ts": "export default (_: { name: string }) => ({ content: 'a' });" });
    if ("typescript" in process.features && process.features.typescript) {
      expect((await generate(await started, "letter")).status).toBe(200);
    } else {
      const advice = `${process.version} does not load TypeScript. Run the emulator with Node 22.18 or later`;
      await expect(started).rejects.toThrow(`letter.ts:1:1: ${advice}, or write letter.mjs`);
    }
  });

  it.each<[string, unknown, string]>([
    ["an omitted options object", undefined, "Expected an options object"],
    ["an unknown option", { prot: 1 }, "Unknown option `prot`. Known options: templates, port, host,"],
    ["a website's URL", { templates: new URL("https://x.test/") }, "Expected `templates` to be a folder"],
    ["an out-of-range port", { port: 65_536 }, "0 to 65535, got 65536"],
    ["a port in `allowedHosts`", { allowedHosts: ["b.test", "a.test:80"] }, 'or a path, got "a.test:80".'],
    ["an empty array as `apiKeys`", { apiKeys: [] }, "at least one key. Omit it"],
    ["an API key that contains a space", { apiKeys: ["a b"] }, "visible ASCII"],
    ["an `onError` that is not a function", { onError: true }, "Expected `onError`"],
    ["a text as `strict`", { strict: "yes" }, "Expected `strict` to be true or false."],
    ["a number as `images`", { images: 1 }, "Expected `images` to be a folder"],
    [
      "an unknown limit",
      { limits: { pages: 1 } },
      "`limits` knows: maxBodyBytes, requestMs, renderMs, maxNodes, threads",
    ],
    ["a limit of nodes below 1", { limits: { maxNodes: 0 } }, "limits.maxNodes"],
    ["a time limit that is too long for timers", { limits: { renderMs: 2 ** 31 } }, "limits.renderMs"],
    ["a limit of 0 threads", { limits: { threads: 0 } }, "limits.threads"],
    ["an invalid fault rule", { faults: "never" }, "never"],
    ["an invalid latency", { latency: "soon" }, "soon"],
    ["a playground on x.localhost", { host: "x.localhost", ui: true }, "unless `host` is a loopback address"],
    ["a playground on 0.0.0.0", { host: "0.0.0.0", ui: true }, "unless `host` is a loopback address"],
  ])("rejects %s", async (_, options, message) => {
    const allOptions = options === undefined ? options : { templates: "x", ...(options as object) };
    await expect(startEmulator(allOptions as never)).rejects.toThrow(message);
  });
});

describe("the folder options of startEmulator()", () => {
  it("accept a folder without templates, which can follow later", async () => {
    const emulator = await emulate({ "package.json": "{}", "a.d.ts": "" });
    expect(emulator.templates).toEqual([]);
    expect((await generate(emulator, "letter")).status).toBe(404);
    await writeFile(join(emulator.folder, "letter.json"), '{"content":"a"}');
    expect((await generate(emulator, "letter")).status).toBe(200);
    const fonts = await templateFolder({});
    await expect(startEmulator({ templates: fonts, fonts })).rejects.toThrow(/contains no \.ttf/);
  });

  // Each broken template ends its thread.
  it("reject broken templates with an error that lists every mistake", { timeout: 120_000 }, async () => {
    const broken: Readonly<Record<string, readonly [text: string, problem: RegExp]>> = {
      "empty.mjs": ["", /:1:1: its default export is not a function but undefined.*export default \(/],
      "two.json": ['{"content":""}', / and two\.mjs\. Rename/],
      "throws.mjs": ['\nthrow new Error("no logo");', /:2:7: no logo/],
      "unparsable.mjs": ["export default (\n  ;", /:2:3: Unexpected token ';'/],
      "unclosed.json": ['{"content":["{{a"]}', /:1:13, content\[0\]: /],
      "schema.mjs": [
        "export const schema = {}; export default () => ({});",
        /:1:14: .* not a Standard Schema/,
      ],
      "sample.mjs": [
        "export const sample = []; export default () => ({});",
        /:1:14: .*not an object that JSON/,
      ],
      "ends.mjs": ["process.exit(0);", /: it ended the rendering/],
    };
    const texts = Object.entries(broken).map(([file, [text]]) => [file, text]);
    const templates = await templateFolder({ ...Object.fromEntries(texts), "two.mjs": "" });
    const { message } = (await rejectionOf(startEmulator({ templates, limits: { threads: 1 } }))) as Error;
    for (const [file, [, problem]] of Object.entries(broken)) {
      expect(message).toMatch(new RegExp(`^.*${file}${problem.source}`, "m"));
    }
  });

  it("reject a folder that does not exist, is a file or contains no fonts", async () => {
    const templates = await templateFolder({ "a.json": '{"content":"a"}' });
    const none = join(templates, "none");
    const start = (options: object) => startEmulator({ templates, ...options });
    await expect(start({ templates: none })).rejects.toThrow(/none does not exist\. Pass the folder/);
    await expect(start({ templates: join(templates, "a.json") })).rejects.toThrow(/is not a folder\. Pass/);
    await expect(start({ fonts: templates })).rejects.toThrow(/contains no \.ttf/);
    for (const kind of ["fonts", "images"]) {
      const problem = `The ${kind.slice(0, -1)} folder ${none} does not exist. Use another folder.`;
      await expect(start({ [kind]: none })).rejects.toThrow(problem);
    }
  });
});
