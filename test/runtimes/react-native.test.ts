import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { nodeOf } from "../../scripts/runtimes.mjs";
import { eventuallyEquals } from "../support/eventually.ts";
import { outputOf } from "../support/programs.ts";
import { pdfOf } from "../support/service.ts";
import { useWorkspace } from "./mocks/workspace.ts";
import { runInHermes } from "./react-native/hermes.ts";

/**
 * Bundles the packed package with Metro, and runs the bundle in Hermes with the JavaScript of React Native. npm has the virtual
 * machine of Hermes only up to version 0.12. So the compiler of each version of React Native also compiles its bundle, because it
 * refuses syntax and regular expressions that its Hermes does not support.
 */

const folders: Readonly<Record<string, string>> = { darwin: "osx-bin", win32: "win64-bin" };
const binaries = folders[process.platform] ?? "linux64-bin";

const versions = [
  {
    // The first version whose `URL` has properties.
    version: "0.80.2",
    platform: "android",
    node: process.execPath,
    compiler: "react-native/sdks/hermesc",
    // Its signals have no reason.
    reason: { name: "AbortError", message: "The document was cancelled." },
  },
  {
    version: "0.88.1",
    platform: "ios",
    node: nodeOf(24),
    compiler: "hermes-compiler/hermesc",
    reason: { name: "Error", message: "the customer has left" },
  },
];

const entryPoints = ["template-pdf", "template-pdf/browser", "template-pdf/handler"];

/** What React Native does before it runs an app, except for its user interface. */
const setUp = [
  ...["setUpGlobals", "setUpPerformance", "polyfillPromise", "setUpTimers", "setUpXHR"],
  "setUpBatchedBridge",
];

const app = `
  import "./set-up";
  import { TemplatePdf } from "template-pdf";
  ${entryPoints.map((name) => `import ${JSON.stringify(name)};`).join("\n")}

  const apiKey = "key-of-the-app";
  const pdfs = new TemplatePdf({ baseUrl, apiKey });
  const describeError = ({ name, message, status, phase, attempts, cause }) =>
    ({ name, message, status, phase, attempts, cause: cause && String(cause) });
  const outcomeOf = (promise) => promise.then((bytes) => bytes?.byteLength ?? bytes, describeError);
  const generate = (uid, options) => pdfs.generate(uid, { total: "£5", 名前: "Ada", due: new Date(0) }, options);
  const construct = async (options) => new TemplatePdf(options);
  const leaving = new AbortController();

  const steps = {
    bytes: () => generate("whole").bytes(),
    arrayBuffer: () => generate("whole").arrayBuffer(),
    async document() {
      const document = await generate("名前 😀/7");
      const { status, contentLength, requestId, filename, attempts, headers } = document;
      const length = Number(headers.get("content-length"));
      return { status, contentLength, requestId, filename, attempts, length, bytes: (await document.bytes()).length };
    },
    withPrefix: () =>
      new TemplatePdf({ baseUrl: baseUrl.replace("localhost", "LOCALHOST") + "/für/", apiKey: null })
        .generate("whole", {}).bytes(),
    blob: () => generate("whole").blob(),
    stream: () => generate("whole").stream(),
    response: () => generate("whole").response(),
    iteration: () => generate("whole")[Symbol.asyncIterator || "undefined"]().next(),
    buffer: () => generate("whole").buffer(),
    nodeStream: () => generate("whole").nodeStream(),
    saveTo: () => generate("whole").saveTo("invoice.pdf"),
    missing: () => generate("missing").bytes(),
    retried: () => generate("busy").bytes(),
    redirected: () => generate("redirected").bytes(),
    truncated: () => generate("truncated", { retry: false }).bytes(),
    interrupted: () => generate("interrupted", { retry: false }).bytes(),
    firstByte: () => generate("endless", { retry: false, timeouts: { firstByte: 200 } }).bytes(),
    total: () => generate("endless", { retry: false, timeouts: { total: 200 } }).bytes(),
    aborted() {
      setTimeout(() => leaving.abort(new Error("the customer has left")), 100);
      return generate("endless", { signal: leaving.signal }).bytes();
    },
    cancelled() {
      const pending = generate("endless");
      const bytes = pending.bytes();
      pending.cancel();
      return bytes;
    },
    values: () => pdfs.generate("whole", { total: Number.NaN }).bytes(),
    noBaseUrl: () => construct({ apiKey }),
    noKey: () => construct({ baseUrl }),
    noTls: () => construct({ baseUrl: "http://pdf.example.com", apiKey }),
  };
  (async () => {
    const outcomes = { transport: pdfs.transport };
    for (const [name, step] of Object.entries(steps)) outcomes[name] = await outcomeOf(step());
    await pdfs.close();
    print("@" + JSON.stringify({ type: "done", outcomes }));
  })();
`;

const pdf = pdfOf(50_000);
const filename = "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9%20%E6%9D%B1.pdf";
/** The uids, the headers and the bodies of the requests. */
const requests: { readonly uid: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
/** The number of endless responses that are open. */
let open = 0;
const server = createServer(async (request, response) => {
  const uid = decodeURIComponent(request.url?.split("/").at(-2) ?? "");
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const isRetry = requests.at(-1)?.uid === uid;
  requests.push({ uid, headers: request.headers, body });
  const send = (status: number, headers: OutgoingHttpHeaders, end?: Uint8Array | string) =>
    response.writeHead(status, headers).end(end);
  if (uid === "missing") return send(404, {}, '{"message":"no template caf%C3%A9"}');
  if (uid === "busy" && !isRetry) return send(503, { "retry-after": "0" });
  if (uid === "redirected") return send(307, { location: "/other/whole/generate-sync" });
  if (uid === "truncated") return send(200, {}, pdf.subarray(0, 10_000));
  if (uid !== "interrupted" && uid !== "endless") {
    const headers = { "content-disposition": filename, "content-length": pdf.length, "x-request-id": "r-7" };
    return send(200, headers, pdf);
  }
  open++;
  response.on("close", () => open--).writeHead(200, { "content-length": pdf.length });
  return response.write(pdf.subarray(0, 10_000), () => uid === "interrupted" && response.destroy());
});
await once(server.listen(0, "localhost"), "listening");
const baseUrl = `http://localhost:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe.each(versions)(
  "React Native $version on $platform",
  ({ version, platform, node, compiler, reason }) => {
    const own = ["react-native", "@react-native/babel-preset", "@react-native/metro-config"];
    const { folder } = useWorkspace(
      ...["--ignore-scripts", "--legacy-peer-deps", "@babel/core@7", "react@19", "hermes-engine-cli@0.12.0"],
      ...own.map((name) => `${name}@${version}`),
    );

    /** @param profile - the engine for which Babel compiles */
    async function bundle(profile: string): Promise<string> {
      const project = join(folder, profile);
      const files = {
        "babel.config.js": `module.exports = { presets: [["@react-native/babel-preset", { unstable_transformProfile: "${profile}" }]] };`,
        "metro.config.js":
          'module.exports = { ...require("@react-native/metro-config").getDefaultConfig(__dirname), cacheStores: [], watchFolders: [require("node:path").dirname(__dirname)] };',
        "set-up.js": setUp.map((name) => `require("react-native/Libraries/Core/${name}");`).join("\n"),
        "app.js": app,
      };
      mkdirSync(project);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
      const metro = join(folder, "node_modules/metro/src/cli.js");
      const target = ["--out", "bundle", "--platform", platform];
      await outputOf(node, [metro, "build", "app.js", ...target, "--config", "metro.config.js"], {
        cwd: project,
      });
      return join(project, "bundle.js");
    }

    it("compiles what Metro makes of the client", { timeout: 600_000 }, async () => {
      const hermesc = join(folder, "node_modules", compiler, binaries, "hermesc");
      const bundled = await bundle("hermes-stable");
      await outputOf(hermesc, ["-emit-binary", "-O", "-w", "-out", `${bundled}.hbc`, bundled], {
        cwd: folder,
      });
      expect(readFileSync(bundled, "utf8")).toContain("/generate-sync");
    });

    it("runs the client, and names what it does not support", { timeout: 600_000 }, async () => {
      requests.length = 0;
      const program = join(folder, "node_modules/hermes-engine-cli", binaries, "hermes");
      const bundled = readFileSync(await bundle("default"), "utf8");
      const outcomes = await runInHermes(program, bundled, { baseUrl });
      const failed = (name: string, message: RegExp, facts: object) => ({
        name,
        message: expect.stringMatching(message),
        attempts: 1,
        ...facts,
      });
      const unsupported = (message: string) => ({ name: "ConfigurationError", message, attempts: 0 });
      const withoutStreams = (output: string) =>
        unsupported(`${output} needs \`ReadableStream\`, which this runtime does not have. Use bytes().`);
      const misconfigured = (message: RegExp) => unsupported(expect.stringMatching(message));
      const facts = { status: 200, contentLength: pdf.length, length: pdf.length, attempts: 1 };
      expect(outcomes).toEqual({
        transport: "fetch",
        bytes: pdf.length,
        arrayBuffer: pdf.length,
        document: { ...facts, requestId: "r-7", filename: "résumé 東.pdf", bytes: pdf.length },
        withPrefix: pdf.length,
        blob: {
          ...unsupported("blob() needs `Blob` with bytes, which this runtime does not have. Use bytes()."),
          cause: "Error: Creating blobs from 'ArrayBuffer' and 'ArrayBufferView' are not supported",
        },
        stream: withoutStreams("stream()"),
        response: withoutStreams("response()"),
        iteration: withoutStreams("iteration"),
        buffer: unsupported("buffer() needs Node, Deno or Bun. Use bytes() or arrayBuffer()."),
        nodeStream: unsupported("nodeStream() needs Node, Deno or Bun. Use stream() or bytes()."),
        saveTo: unsupported("saveTo() needs Node, Deno or Bun. Use bytes(), blob() or response()."),
        missing: failed("NotFoundError", /saying "no template café"/, { status: 404 }),
        retried: pdf.length,
        // Nothing but its address tells that the response comes from elsewhere.
        redirected: failed("ApiError", /not at "http:\/\/localhost:\d+\/other\/whole\//, { status: 0 }),
        truncated: failed("TruncatedPdfError", /truncated after 10000 bytes/, { status: 200 }),
        interrupted: failed("ConnectionError", /Network request failed/, {
          cause: "TypeError: Network request failed",
        }),
        firstByte: failed("TimeoutError", /within 200 ms/, { phase: "firstByte" }),
        total: failed("TimeoutError", /within 200 ms/, { phase: "total" }),
        aborted: reason,
        cancelled: { name: "AbortError", message: "The document was cancelled." },
        values: { name: "ValuesError", message: expect.stringMatching(/values\.total is NaN/), attempts: 0 },
        noBaseUrl: misconfigured(/^The base URL of the service is missing/),
        noKey: misconfigured(/^The API key is missing/),
        noTls: misconfigured(/would be sent to pdf\.example\.com unencrypted/),
      });
      const [first] = requests;
      expect(JSON.parse(first?.body ?? "")).toEqual({
        total: "£5",
        名前: "Ada",
        due: "1970-01-01T00:00:00.000Z",
      });
      expect(first?.headers.authorization).toBe("API-Key key-of-the-app");
      // whatwg-fetch sends the indexes of an array as headers.
      expect(Object.keys(first?.headers ?? {})).not.toContain("0");
      expect(requests.map(({ uid }) => uid)).toContain("名前 😀/7");
      await eventuallyEquals(() => open, 0);
    });
  },
);
