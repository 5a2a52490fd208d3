// The contenders that need other packages. See ../measure/contenders.mjs.
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { headersOf, urlOf } from "../measure/contenders.mjs";

export const contenders = {
  axios: async (job) => {
    const { default: axios } = await import("axios");
    const client = axios.create({
      headers: headersOf(job),
      responseType: "arraybuffer",
      httpAgent: new Agent({ keepAlive: true }),
      httpsAgent: new TlsAgent({ keepAlive: true }),
    });
    const url = urlOf(job);
    return async () => (await client.post(url, job.values)).data.length;
  },

  got: async (job) => {
    const { default: got } = await import("got");
    const client = got.extend({
      headers: headersOf(job),
      responseType: "buffer",
      agent: { http: new Agent({ keepAlive: true }), https: new TlsAgent({ keepAlive: true }) },
    });
    const url = urlOf(job);
    return async () => (await client.post(url, { json: job.values })).body.length;
  },

  ky: async (job) => {
    const { default: ky } = await import("ky");
    const client = ky.create({ headers: headersOf(job) });
    const url = urlOf(job);
    return async () => (await client.post(url, { json: job.values }).arrayBuffer()).byteLength;
  },

  ofetch: async (job) => {
    const { ofetch } = await import("ofetch");
    const client = ofetch.create({ method: "POST", headers: headersOf(job), responseType: "arrayBuffer" });
    const url = urlOf(job);
    return async () => (await client(url, { body: job.values })).byteLength;
  },
};
