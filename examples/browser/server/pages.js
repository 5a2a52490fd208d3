import { fileURLToPath } from "node:url";
import sirv from "sirv";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Lets the page load its own files, and show documents as `blob:` in a frame. */
const policy =
  "default-src 'self'; frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the page: the build in `dist`, or the source files with Vite.
 *
 * @param {import("node:http").Server} server - Vite reports changes to the page through this server
 * @param {{ built: boolean }} flags
 */
export async function servePages(server, { built }) {
  if (built) {
    return sirv(`${root}dist`, {
      setHeaders: (response) => response.setHeader("content-security-policy", policy),
    });
  }
  // Imported only here, because production has no Vite.
  const { createServer } = await import("vite");
  const vite = await createServer({ root, server: { middlewareMode: true, hmr: { server } } });
  return vite.middlewares;
}
