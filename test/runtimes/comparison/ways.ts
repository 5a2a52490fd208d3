import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { request } from "undici";
import { headersOf, urlOf } from "../../../bench/measure/contenders.mjs";

/** What is requested. */
interface Wanted {
  readonly origin: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly values: object;
}

/** A way to get a document, as its own users would write it, without options that its README does not begin with. */
export interface Way {
  readonly name: string;
  readonly get: (wanted: Wanted) => Promise<Uint8Array>;
}

const peers = fileURLToPath(new URL("../../../bench/peers", import.meta.url));

/** Every way: the first from the installed package, the others from bench/peers, which has to be installed. */
export function loadWays(consumer: string): readonly Way[] {
  const requireOurs = createRequire(join(consumer, "package.json"));
  const requirePeer = createRequire(join(peers, "package.json"));
  const { TemplatePdf } = requireOurs("template-pdf") as typeof import("../../../src/index.ts");
  const { default: axios } = requirePeer("axios");
  const { default: got } = requirePeer("got");
  const { default: ky } = requirePeer("ky");
  const { ofetch } = requirePeer("ofetch");
  const post = (wanted: Wanted) =>
    ({ method: "POST", headers: headersOf(wanted), body: JSON.stringify(wanted.values) }) as const;
  const json = (wanted: Wanted) => ({ headers: headersOf(wanted), json: wanted.values });
  const ways: Record<string, Way["get"]> = {
    "template-pdf": ({ origin, uid, apiKey, values }) =>
      new TemplatePdf({ baseUrl: origin, apiKey }).generate(uid, values).bytes(),
    fetch: async (wanted) => {
      const response = await fetch(urlOf(wanted), post(wanted));
      if (!response.ok) throw new Error(`The service answered ${response.status}.`);
      return new Uint8Array(await response.arrayBuffer());
    },
    undici: async (wanted) => {
      const { statusCode, body } = await request(urlOf(wanted), post(wanted));
      if (statusCode !== 200) throw new Error(`The service answered ${statusCode}.`);
      return await body.bytes();
    },
    axios: async (wanted) => {
      const options = { headers: headersOf(wanted), responseType: "arraybuffer" };
      return (await axios.post(urlOf(wanted), wanted.values, options)).data;
    },
    got: (wanted) => got.post(urlOf(wanted), json(wanted)).buffer(),
    ky: async (wanted) => new Uint8Array(await ky.post(urlOf(wanted), json(wanted)).arrayBuffer()),
    ofetch: async (wanted) => {
      const options = { method: "POST", headers: headersOf(wanted), body: wanted.values };
      return new Uint8Array(await ofetch(urlOf(wanted), { ...options, responseType: "arrayBuffer" }));
    },
  };
  return Object.entries(ways).map(([name, get]) => ({ name, get }));
}

/** What a page imports of each way that is made for pages. */
const imports: Readonly<Record<string, string>> = {
  "template-pdf": 'export { TemplatePdf } from "template-pdf"',
  axios: 'export { default } from "axios"',
  ky: 'export { default } from "ky"',
  ofetch: 'export { ofetch } from "ofetch"',
};

/** How much a page loads of a way, bundled, minified and gzipped: in whole kB, or a dash. */
export async function pageBytes(way: string, consumer: string): Promise<string> {
  const contents = imports[way];
  if (contents === undefined) return way === "fetch" ? "0" : "–";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: way === "template-pdf" ? consumer : peers },
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
