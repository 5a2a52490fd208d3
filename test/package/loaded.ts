import { makeProject, runNode } from "./consumer.ts";

/** The modules of Node for its network, streams and files, among `process.moduleLoadList`. */
export const heavy =
  /NativeModule (?:_?http|http2|_?tls|net|_?stream|internal\/streams|zlib|crypto|fs\/promises$|internal\/fs\/promises|readline|worker)/;

/** The files of packages among paths or URLs, by their paths in node_modules. */
export function filesOfPackages(loaded: readonly string[]): string[] {
  return loaded
    .filter((name) => name.includes("/node_modules/"))
    .map((name) => name.replace(/^.*\/node_modules\//, ""));
}

const bare = `
  const Agent = require("undici/lib/dispatcher/agent.js");
  require("undici/lib/core/connect.js");
  const agent = new Agent();
  const handler = {
    onRequestStart() {},
    onResponseStart() {},
    onResponseData() {},
    onResponseEnd() {
      console.log(JSON.stringify(Object.keys(require.cache).map((name) => name.replaceAll("\\\\", "/"))));
      agent.close();
    },
    onResponseError(_, error) {
      throw error;
    },
  };
  agent.dispatch({ origin: process.argv[2], path: "/", method: "POST", body: "{}" }, handler);
`;

/**
 * What undici itself loads to bring a document by the files that this package asks it for: how many they are is up to
 * the undici that npm installs.
 *
 * @param name - of a project that it may make
 * @param origin - of a service
 */
export async function filesOfBareUndici(name: string, origin: string): Promise<string[]> {
  return filesOfPackages(
    JSON.parse(await runNode(makeProject(name, { "bare.cjs": bare }), "bare.cjs", origin)),
  );
}
