// @ts-check
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/**
 * A certificate for 127.0.0.1, its key, and the authority that vouches for it, all in PEM: made for this run by the
 * maker of certificates of the tests, which Node 20 cannot load as it is.
 *
 * @returns {Promise<{ authority: string, cert: string, key: string }>}
 */
export async function makeCertificate() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../../test/support/certificates.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const text = outputFiles[0]?.text ?? "";
  const { makeAuthority } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const authority = makeAuthority("Authority of the benchmark");
  return { authority: authority.cert, ...authority.issue(["127.0.0.1", "localhost"]) };
}
