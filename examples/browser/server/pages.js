import { fileURLToPath } from "node:url";
import sirv from "sirv";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What a page of this server may load: its own files, and documents as `blob:` in a frame. */
const policy =
  "default-src 'self'; frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the page: from `dist` as it was built, or by Vite, as it is being written.
 *
 * @param {import("node:http").Server} server - where Vite tells the page of changes
 * @param {{ built: boolean }} flags
 */
export async function servePages(server, { built }) {
  if (built) {
    return sirv(`${root}dist`, {
      setHeaders: (response) => response.setHeader("content-security-policy", policy),
    });
  }
  // Only here: where the page is built already, there is no Vite.
  const { createServer } = await import("vite");
  const vite = await createServer({ root, server: { middlewareMode: true, hmr: { server } } });
  return vite.middlewares;
}
