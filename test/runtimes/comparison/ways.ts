import { createRequire } from "node:module";
import { join } from "node:path";
import { request } from "undici";
import { headersOf, urlOf } from "../../../bench/measure/contenders.mjs";

/** What one asks for. */
interface Wanted {
  readonly origin: string;
  readonly uid: string;
  readonly apiKey: string;
  readonly values: object;
}

/** A way to get a document. */
export interface Way {
  readonly name: string;
  /** As its own users would write it: nothing is set that its README does not begin with. */
  readonly get: (wanted: Wanted) => Promise<Uint8Array>;
}

/** Every way, ours first and from the installed package; the others from bench/peers, which has to be installed. */
export function loadWays(consumer: string): readonly Way[] {
  const requireOurs = createRequire(join(consumer, "package.json"));
  const requirePeer = createRequire(new URL("../../../bench/peers/package.json", import.meta.url));
  const { TemplatePdf } = requireOurs("template-pdf") as typeof import("../../../src/index.ts");
  const { default: axios } = requirePeer("axios");
  const { default: got } = requirePeer("got");
  const { default: ky } = requirePeer("ky");
  const { ofetch } = requirePeer("ofetch");
  return [
    {
      name: "template-pdf",
      get: ({ origin, uid, apiKey, values }) =>
        new TemplatePdf({ baseUrl: origin, apiKey }).generate(uid, values).bytes(),
    },
    {
      name: "fetch",
      get: async (wanted) => {
        const answer = await fetch(urlOf(wanted), {
          method: "POST",
          headers: headersOf(wanted),
          body: JSON.stringify(wanted.values),
        });
        if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
        return new Uint8Array(await answer.arrayBuffer());
      },
    },
    {
      name: "undici",
      get: async (wanted) => {
        const { statusCode, body } = await request(urlOf(wanted), {
          method: "POST",
          headers: headersOf(wanted),
          body: JSON.stringify(wanted.values),
        });
        if (statusCode !== 200) throw new Error(`The service answered ${statusCode}.`);
        return await body.bytes();
      },
    },
    {
      name: "axios",
      get: async (wanted) => {
        const options = { headers: headersOf(wanted), responseType: "arraybuffer" };
        return (await axios.post(urlOf(wanted), wanted.values, options)).data;
      },
    },
    {
      name: "got",
      get: (wanted) => got.post(urlOf(wanted), { headers: headersOf(wanted), json: wanted.values }).buffer(),
    },
    {
      name: "ky",
      get: async (wanted) => {
        const answer = ky.post(urlOf(wanted), { headers: headersOf(wanted), json: wanted.values });
        return new Uint8Array(await answer.arrayBuffer());
      },
    },
    {
      name: "ofetch",
      get: async (wanted) => {
        const options = { method: "POST", headers: headersOf(wanted), body: wanted.values };
        return new Uint8Array(await ofetch(urlOf(wanted), { ...options, responseType: "arrayBuffer" }));
      },
    },
  ];
}
