import { dirname, extname, join } from "node:path";
import { readSmallFile } from "../../files/read-file.ts";
import { Problem } from "../../service/problem.ts";
import { requireFrom } from "../require-from.ts";

/** The maximum size of a file of the page in bytes. The largest is the worker of pdf.js. */
const maxFileBytes = 16 * 1024 * 1024;

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** The page loads nothing from elsewhere, and no other page may show it in a frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data: blob:",
  "frame-src blob:",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The files of the page, and those of pdf.js if it is installed. */
export class PageFiles {
  readonly #folder: string;
  readonly #templates: string;

  /**
   * @param folder - the build output folder of the page
   * @param templates - the template folder, from which `pdfjs-dist` is resolved
   */
  constructor(folder: string, templates: string) {
    this.#folder = folder;
    this.#templates = templates;
  }

  /** Resolved on demand, because most programs that start an emulator never open the page. */
  findPdfJs(): string | undefined {
    for (const folder of [this.#templates, process.cwd()]) {
      try {
        const require = requireFrom(join(folder, "template.mjs"));
        return dirname(require.resolve("pdfjs-dist/build/pdf.min.mjs"));
      } catch {
        // pdf.js is optional, because browsers can show PDFs themselves.
      }
    }
    return undefined;
  }

  /** @param token - the token that the page sends with its requests */
  async readPage(token: string): Promise<Response> {
    const page = await send(join(this.#folder, "index.html"), true);
    return new Response((await page.text()).replace("{{token}}", token), page);
  }

  read(name: string): Promise<Response> {
    return send(join(this.#folder, name), /^_playground\/assets\/[\w.-]+$/.test(name));
  }

  readPdfJs(name: string): Promise<Response> {
    const folder = this.findPdfJs();
    const isKnown = name === "pdf.min.mjs" || name === "pdf.worker.min.mjs";
    return send(join(folder ?? "", name), isKnown && folder !== undefined);
  }
}

async function send(path: string, isKnown: boolean): Promise<Response> {
  const body = isKnown ? await readSmallFile(path, maxFileBytes).catch(() => undefined) : undefined;
  if (body === undefined) throw new Problem(404, "The playground has no such file.");
  return new Response(new Uint8Array(body), {
    headers: {
      "content-type": types[extname(path)] ?? "application/octet-stream",
      "cache-control": "no-cache",
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
