import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { request } from "undici";
import { headersOf, urlOf } from "../../../bench/measure/contenders.mjs";

/** The document to generate. */
interface Call {
  readonly origin: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly values: object;
}

/** A client, with the code that its README begins with. */
export interface ComparedClient {
  readonly name: string;
  readonly generate: (call: Call) => Promise<Uint8Array>;
}

const peers = fileURLToPath(new URL("../../../bench/peers", import.meta.url));

/** Loads this client from the installed package, and the others from bench/peers. */
export function loadClients(consumer: string): readonly ComparedClient[] {
  const requireOurs = createRequire(join(consumer, "package.json"));
  const requirePeer = createRequire(join(peers, "package.json"));
  const { TemplatePdf } = requireOurs("template-pdf") as typeof import("../../../src/index.ts");
  const { default: axios } = requirePeer("axios");
  const { default: got } = requirePeer("got");
  const { default: ky } = requirePeer("ky");
  const { ofetch } = requirePeer("ofetch");
  const post = (call: Call) =>
    ({ method: "POST", headers: headersOf(call), body: JSON.stringify(call.values) }) as const;
  const json = (call: Call) => ({ headers: headersOf(call), json: call.values });
  const clients: Record<string, ComparedClient["generate"]> = {
    "template-pdf": ({ origin, uid, apiKey, values }) =>
      new TemplatePdf({ baseUrl: origin, apiKey }).generate(uid, values).bytes(),
    fetch: async (call) => {
      const response = await fetch(urlOf(call), post(call));
      if (!response.ok) throw new Error(`The service responded with ${response.status}.`);
      return new Uint8Array(await response.arrayBuffer());
    },
    undici: async (call) => {
      const { statusCode, body } = await request(urlOf(call), post(call));
      if (statusCode !== 200) throw new Error(`The service responded with ${statusCode}.`);
      return await body.bytes();
    },
    axios: async (call) => {
      const options = { headers: headersOf(call), responseType: "arraybuffer" };
      return (await axios.post(urlOf(call), call.values, options)).data;
    },
    got: (call) => got.post(urlOf(call), json(call)).buffer(),
    ky: async (call) => new Uint8Array(await ky.post(urlOf(call), json(call)).arrayBuffer()),
    ofetch: async (call) => {
      const options = { method: "POST", headers: headersOf(call), body: call.values };
      return new Uint8Array(await ofetch(urlOf(call), { ...options, responseType: "arrayBuffer" }));
    },
  };
  return Object.entries(clients).map(([name, generate]) => ({ name, generate }));
}

/** The import of each client that supports browsers. */
const imports: Readonly<Record<string, string>> = {
  "template-pdf": 'export { TemplatePdf } from "template-pdf"',
  axios: 'export { default } from "axios"',
  ky: 'export { default } from "ky"',
  ofetch: 'export { ofetch } from "ofetch"',
};

/** The size of a client for a browser in whole kB, bundled, minified and gzipped, or a dash. */
export async function bundleSize(client: string, consumer: string): Promise<string> {
  const contents = imports[client];
  if (contents === undefined) return client === "fetch" ? "0" : "–";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: client === "template-pdf" ? consumer : peers },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
  });
  const bytes = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0);
  return `${Math.round(bytes / 1000)} kB`;
}
